internal import AuthEngine
internal import AuthModel
internal import OAuth

/// The gateway's details of a solution: whether users must sign in, where, and with which clients.
///
/// The member names are those of the JavaScript SDK's samples or of the iOS SDK. Missing arrays are empty.
struct MapsIndoorsDetails: Equatable {
    var details: ProviderDetails
    /// The scopes in addition to `openid` and `profile`.
    var authScope: ScopeSet

    /// Reads the gateway's answer.
    ///
    /// - Throws: `.configuration` for a key that the gateway does not know, `.unavailable` for anything that is not the details.
    init(_ response: WebResponse, from origin: Origin, provider: ProviderName) throws(AuthFailure) {
        let host = origin.authority
        switch response.status {
        case 200: break
        case 401, 403, 404:
            throw AuthFailure(
                .configuration, "the api_key of \(provider) is not known at \(host) (status \(response.status)\(Self.code(in: response)))",
                hint: "put the solution's key into api_key in [providers.\(provider)]")
        case 300..<400:
            throw AuthFailure(
                .unavailable(retryAfter: nil), "refused: the gateway at \(host) redirects the details to another address",
                hint: "set gateway_url to its current address")
        default:
            throw AuthFailure(
                .unavailable(retryAfter: nil), "the gateway at \(host) answered with status \(response.status) instead of the details",
                hint: "try again in a moment")
        }
        guard let document = try? JSONValue(strict: response.body), document.members != nil else {
            throw Self.unreadable("they are not a JSON object, or repeat a member", host)
        }
        guard let isRequired = document["isAuthRequired"]?.bool else { throw Self.unreadable("isAuthRequired is missing", host) }
        var clients: [ProviderDetails.Client] = []
        for entry in document["authClients"]?.array ?? [] {
            // The characters of RFC 6749 appendix A.1.
            guard let id = (entry["clientId"] ?? entry["clientID"])?.string, !id.isEmpty,
                id.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
            else { throw Self.unreadable("a client has no clientId, or an invalid one", host) }
            let names = (entry["preferredIDPs"] ?? entry["preferredIDPS"])?.strings ?? []
            // A name becomes one word of `acr_values`.
            clients.append(.init(id: id, identityProviders: names.filter { ScopeSet.isScope($0) }))
        }
        authScope = ScopeSet((document["authScope"]?.string ?? "").split { $0.isWhitespace }.map(String.init).filter(ScopeSet.isScope))
        let named = document["authIssuer"]?.string
        let issuer = named.flatMap(Issuer.init)
        if isRequired, issuer == nil {
            guard named.flatMap(WebURL.init) == nil else {
                throw AuthFailure(
                    .security, "the gateway at \(host) names an authIssuer that is not a plain https URL",
                    hint: "contact its administrator; http is allowed only for loopback addresses")
            }
            throw Self.unreadable("authIssuer is missing, or is not a URL", host)
        }
        if let issuer, issuer.url.origin.isThisMachine, !origin.isThisMachine {
            throw AuthFailure(
                .security, "the gateway at \(host) names an authIssuer on this machine: \(issuer.url.origin.authority)",
                hint: "contact the gateway's administrator")
        }
        details = ProviderDetails(
            isSignInRequired: isRequired, issuer: issuer, scopes: ScopeSet(["openid", "profile"] + authScope.values), clients: clients)
    }

    private static func unreadable(_ reason: String, _ host: String) -> AuthFailure {
        AuthFailure(
            .unavailable(retryAfter: nil), "cannot read the authentication details from \(host): \(reason)",
            hint: "check gateway_url, or try again in a moment")
    }

    /// The gateway's own error code, if there is one.
    private static func code(in response: WebResponse) -> String {
        let code = (try? JSONValue(strict: response.body))?["code"]?.integer
        return code.map { ", code \($0)" } ?? ""
    }
}
