internal import AuthModel

/// `kind = "beyond-identity"` with `mode = "secure-access"`: the newer generation, an OpenID provider at the issuer of an application.
/// There is no backend.
struct SecureAccessConfiguration: KindSettings {
    /// How the authenticator is invoked: `invocation`.
    enum Invocation: String, CaseIterable {
        /// The authorization endpoint sends the browser on.
        case automatic
        /// The authorization endpoint answers with where the browser is to go.
        case manual
    }

    var invocation = Invocation.automatic
    /// `invoke_hosts`: where a browser may be sent; hosts below them as well. With a port, that host and port alone.
    var invokeHosts = SecureAccessConfiguration.standardInvokeHosts
    /// `tokens_url`: the management API's list of the application's tokens; `nil`: there is none.
    var tokens: WebURL?

    /// The vendor's own.
    static let standardInvokeHosts = ["beyondidentity.com", "byndid.com", "beyondidentity-gov.com"]

    /// Where an application's issuer has its tokens: `auth-us.…` becomes `api-us.…`; `nil` for an issuer that is not the vendor's.
    static func tokens(of issuer: Issuer) -> WebURL? {
        let host = issuer.url.origin.host
        guard host.hasPrefix("auth-"), standardInvokeHosts.contains(where: { host.hasSuffix("." + $0) }) else { return nil }
        return WebURL("https://api-" + host.dropFirst("auth-".count) + issuer.url.path + "/tokens")
    }

    var shown: [(name: String, value: JSONValue)] {
        [
            ("mode", "secure-access"), ("invocation", .string(invocation.rawValue)), ("invoke_hosts", JSONValue(invokeHosts)),
            ("tokens_url", JSONValue(tokens?.text)),
        ]
    }
}
