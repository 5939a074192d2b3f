public import AuthModel

/// A client that is registered at the sandbox (RFC 7591 section 2).
public struct SandboxClient: Equatable, Sendable {
    /// The client identifier.
    public var id: String
    /// The name on the consent page.
    public var name: String
    /// The client secret; `nil` for a public client.
    public var secret: Secret?
    /// The client's authentication method at the token endpoint.
    public var authentication: Authentication
    /// The client's public keys, as JWKs: for ``Authentication/privateKeyJWT``, and for assertions that it uses as grants.
    public var keys: [JSONValue]
    /// The registered redirect URIs.
    public var redirects: [String]
    /// The rule by which a redirect URI is compared with the registered ones.
    public var redirectRule: RedirectRule
    /// The registered post-logout redirect URIs; compared by the same rule.
    public var postLogoutRedirects: [String]
    /// The lifetimes of the client's tokens; `nil` for those of the provider.
    public var lifetimes: Lifetimes?

    /// The lifetimes of one client's tokens.
    public struct Lifetimes: Equatable, Sendable {
        /// The lifetime of an access token.
        public var accessToken: Duration
        /// The lifetime of a refresh token, from its last rotation; zero for one that is refused. `nil` if none is issued.
        public var refreshToken: Duration?
    }

    /// A client authentication method (RFC 6749 section 2.3).
    public enum Authentication: String, Sendable, CaseIterable {
        /// No authentication: a public client.
        case none
        /// The secret by HTTP Basic.
        case clientSecretBasic = "client_secret_basic"
        /// The secret in the form body.
        case clientSecretPost = "client_secret_post"
        /// An assertion signed with one of the client's keys (OpenID Connect Core section 9, RFC 7523).
        case privateKeyJWT = "private_key_jwt"
    }

    /// A rule for comparing a redirect URI with the registered ones.
    public enum RedirectRule: Sendable {
        /// Byte for byte.
        case exact
        /// Byte for byte, but a loopback literal that is registered without a port matches any port (RFC 8252 section 7.3).
        case anyLoopbackPort
    }

    /// Creates a client.
    public init(
        id: String, name: String, secret: Secret? = nil, authentication: Authentication = .none, redirects: [String],
        redirectRule: RedirectRule = .anyLoopbackPort, keys: [JSONValue] = [], postLogoutRedirects: [String] = [],
        lifetimes: Lifetimes? = nil
    ) {
        self.id = id
        self.name = name
        self.secret = secret
        self.authentication = authentication
        self.keys = keys
        self.redirects = redirects
        self.redirectRule = redirectRule
        self.postLogoutRedirects = postLogoutRedirects
        self.lifetimes = lifetimes
    }

    /// The clients of a new sandbox: a native one, the same with a fixed list of ports, two with a secret, and a resource server.
    public static let standard: [SandboxClient] = {
        let literals = ["http://127.0.0.1", "http://[::1]"]
        let anyPort = literals.map { $0 + "/callback" }
        let fixed = ["http://127.0.0.1", "http://[::1]", "http://localhost"].flatMap { host in
            (8400...8404).map { "\(host):\($0)/callback" }
        }
        let secret = Secret("confidential-secret-0123456789")
        return [
            SandboxClient(id: "yett", name: "Yett", redirects: anyPort, postLogoutRedirects: anyPort),
            SandboxClient(id: "yett-fixed", name: "Yett (fixed ports)", redirects: fixed, redirectRule: .exact, postLogoutRedirects: fixed),
            SandboxClient(
                id: "yett-confidential", name: "Yett (confidential)", secret: secret, authentication: .clientSecretBasic,
                redirects: anyPort, postLogoutRedirects: anyPort),
            SandboxClient(
                id: "yett-post", name: "Yett (confidential, by form)", secret: secret, authentication: .clientSecretPost,
                redirects: anyPort, postLogoutRedirects: anyPort),
            SandboxClient(
                id: "yett-rs", name: "A resource server", secret: Secret("rs-secret-0123456789"), authentication: .clientSecretBasic,
                redirects: []),
        ]
    }()

    /// Returns whether `uri` may receive an authorization response.
    func accepts(redirect uri: String) -> Bool { matches(uri, redirects) }

    /// Returns whether a browser may be redirected to `uri` after signing out.
    func accepts(postLogoutRedirect uri: String) -> Bool { matches(uri, postLogoutRedirects) }

    private func matches(_ uri: String, _ registered: [String]) -> Bool {
        if registered.contains(uri) { return true }
        guard redirectRule == .anyLoopbackPort, let url = WebURL(uri), url.origin.scheme == .http, url.origin.isLoopback,
            url.fragment == nil
        else { return false }
        let host = url.origin.host.contains(":") ? "[\(url.origin.host)]" : url.origin.host
        let withoutPort = "http://\(host)\(url.path)" + (url.query.map { "?" + $0 } ?? "")
        return registered.contains(withoutPort)
    }
}

/// Clients that describe themselves: by registration (RFC 7591), or by a document at their identifier.
extension SandboxClient {
    /// Validates a client's metadata (RFC 7591 section 2).
    ///
    /// - Throws: `invalid_redirect_uri` or `invalid_client_metadata` (section 3.2.2).
    init(id: String, metadata: JSONValue, secret: Secret) throws(ErrorReply) {
        func refuse(_ text: String) -> ErrorReply { ErrorReply("invalid_client_metadata", text) }
        guard metadata.members != nil else { throw refuse("the metadata is not an object") }
        let usesCodes = metadata["grant_types"]?.strings?.contains(GrantType.authorizationCode.rawValue) ?? true
        guard let redirects = metadata["redirect_uris"]?.strings, !redirects.isEmpty || !usesCodes,
            redirects.allSatisfy(Self.isRedirect)
        else {
            throw ErrorReply("invalid_redirect_uri", "redirect_uris must contain https URLs, loopback URLs or private-use schemes")
        }
        let method = metadata["token_endpoint_auth_method"] ?? .string(Authentication.clientSecretBasic.rawValue)
        guard let authentication = method.string.flatMap({ Authentication(rawValue: $0) }) else {
            throw refuse("token_endpoint_auth_method is not offered")
        }
        let grants = metadata["grant_types"] ?? .array([.string(GrantType.authorizationCode.rawValue)])
        guard let types = grants.strings, types.allSatisfy({ GrantType(rawValue: $0) != nil }) else {
            throw refuse("grant_types contains one that is not offered")
        }
        guard (metadata["response_types"] ?? ["code"]).strings == (usesCodes ? ["code"] : []) else {
            throw refuse("only response type code is offered")
        }
        guard ["native", "web"].contains(metadata["application_type"] ?? "web") else { throw refuse("application_type is unknown") }
        let keys = metadata["jwks"]?["keys"]?.array ?? []
        guard keys.allSatisfy({ VerifyingKey(jwk: $0) != nil }) else { throw refuse("jwks contains an entry that is not a public key") }
        guard authentication != .privateKeyJWT || !keys.isEmpty else { throw refuse("private_key_jwt requires a key in jwks") }
        let usesSecret = authentication == .clientSecretBasic || authentication == .clientSecretPost
        self.init(
            id: id, name: metadata["client_name"]?.string ?? id, secret: usesSecret ? secret : nil, authentication: authentication,
            redirects: redirects.flatMap { [$0, Self.withoutLoopbackPort($0)] }, keys: keys,
            postLogoutRedirects: metadata["post_logout_redirect_uris"]?.strings?.flatMap { [$0, Self.withoutLoopbackPort($0)] } ?? [])
    }

    /// Accepts https, http on loopback, or a private-use scheme with a dot (RFC 8252 section 7); never a fragment.
    private static func isRedirect(_ text: String) -> Bool {
        guard !text.contains("#") else { return false }
        if let url = WebURL(text) { return url.origin.scheme == .https || url.origin.isLoopback || url.origin.host == "localhost" }
        let scheme = text.prefix { $0 != ":" }
        return scheme.contains(".") && scheme.utf8.count < text.utf8.count
            && scheme.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || "+-.".utf8.contains($0) }
    }

    /// Removes the port of a loopback literal, which a client chooses anew each time (RFC 8252 section 7.3).
    private static func withoutLoopbackPort(_ text: String) -> String {
        guard let url = WebURL(text), url.origin.scheme == .http, url.origin.isLoopback else { return text }
        let host = url.origin.host.contains(":") ? "[\(url.origin.host)]" : url.origin.host
        return "http://\(host)\(url.path)" + (url.query.map { "?" + $0 } ?? "")
    }
}
