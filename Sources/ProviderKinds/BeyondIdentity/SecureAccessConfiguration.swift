internal import AuthEngine
internal import AuthModel

/// The settings of `kind = "beyond-identity"` with `mode = "secure-access"`: the newer generation, an OpenID provider at the issuer of an
/// application. There is no backend.
struct SecureAccessConfiguration: KindSettings {
    /// The way of invoking the authenticator: `invocation`.
    enum Invocation: String, CaseIterable {
        /// The authorization endpoint redirects the browser.
        case automatic
        /// The authorization endpoint answers with the URL that the browser must open next.
        case manual
    }

    var invocation = Invocation.automatic
    /// `invoke_hosts`: the hosts that a browser may be sent to, and their subdomains. An entry with a port allows that host and port only.
    var invokeHosts = SecureAccessConfiguration.standardInvokeHosts
    /// `tokens_url`: the management API's list of the application's tokens; `nil` if there is none.
    var tokens: WebURL?

    /// The vendor's own hosts.
    static let standardInvokeHosts = ["beyondidentity.com", "byndid.com", "beyondidentity-gov.com"]

    /// Returns the token list of an application's issuer: `auth-us.…` becomes `api-us.…`; `nil` for an issuer that is not the vendor's.
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
