internal import AuthEngine
internal import AuthModel

/// The settings of `kind = "mapsindoors"`.
enum MapsIndoorsConfiguration: KindSettings {
    /// A solution. The gateway says how users sign in to it.
    struct Solution: Equatable {
        /// `gateway_url`: the gateway. The solution's key is appended as a path segment.
        var gateway: WebURL
        /// `api_key`. It identifies the solution, whose data may be open to anyone who has the key.
        var apiKey: String
        /// `idp`: the identity provider to sign in with; `nil`: the user is asked if there are several.
        var identityProvider: String?
        /// `extra_scopes`: requested in addition to those of the gateway's details.
        var extraScopes: ScopeSet = []
    }

    case solution(Solution)
    /// The Booking service, which accepts tokens of the tenant's own issuer. `tenantID` is sent with every request.
    case booking(tenantID: String?)

    var shown: [(name: String, value: JSONValue)] {
        switch self {
        case .solution(let solution):
            [
                ("gateway_url", .string(solution.gateway.text)), ("api_key", .string(solution.apiKey)),
                ("idp", JSONValue(solution.identityProvider)), ("extra_scopes", JSONValue(solution.extraScopes.values)),
            ]
        case .booking(let tenantID): [("tenant_id", JSONValue(tenantID))]
        }
    }
}
