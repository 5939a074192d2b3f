internal import AuthModel

/// `kind = "mapsindoors"`.
enum MapsIndoorsConfiguration: KindSettings {
    /// A solution: how it is signed in to, the gateway tells.
    struct Solution: Equatable {
        /// The gateway: the solution's key is appended as a path segment.
        var gateway: WebURL
        /// `api_key`. It names the solution; its data may be open to whoever has it.
        var apiKey: String
        /// `idp`: the identity provider to sign in with; `nil`: the person is asked where there are several.
        var identityProvider: String?
        /// `extra_scopes`: asked beside those of the details.
        var extraScopes: ScopeSet = []
    }

    case solution(Solution)
    /// The Booking service, which takes tokens of the tenant's own issuer. `tenantID` goes along with every request.
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
