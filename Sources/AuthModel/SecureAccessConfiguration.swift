/// `kind = "beyond-identity"` with `mode = "secure-access"`: the newer generation, an OpenID provider at the issuer of an application.
/// There is no backend.
public struct SecureAccessConfiguration: Equatable, Sendable {
    /// How the authenticator is invoked: `invocation`.
    public enum Invocation: String, Sendable, CaseIterable {
        /// The authorization endpoint sends the browser on.
        case automatic
        /// The authorization endpoint answers with where the browser is to go.
        case manual
    }

    public var invocation: Invocation
    /// `invoke_hosts`: where a browser may be sent; hosts below them as well. With a port, that host and port alone.
    public var invokeHosts: [String]
    /// `tokens_url`: the management API's list of the application's tokens; `nil`: there is none.
    public var tokens: WebURL?

    public init(invocation: Invocation = .automatic, invokeHosts: [String] = standardInvokeHosts, tokens: WebURL? = nil) {
        self.invocation = invocation
        self.invokeHosts = invokeHosts
        self.tokens = tokens
    }

    /// The vendor's own.
    public static let standardInvokeHosts = ["beyondidentity.com", "byndid.com", "beyondidentity-gov.com"]

    /// Where an application's issuer has its tokens: `auth-us.…` becomes `api-us.…`; `nil` for an issuer that is not the vendor's.
    public static func tokens(of issuer: Issuer) -> WebURL? {
        let host = issuer.url.origin.host
        guard host.hasPrefix("auth-"), standardInvokeHosts.contains(where: { host.hasSuffix("." + $0) }) else { return nil }
        return WebURL("https://api-" + host.dropFirst("auth-".count) + issuer.url.path + "/tokens")
    }
}
