public import AuthModel

/// A registration of this program as a native, public client (RFC 7591 section 2, RFC 8252).
public struct ClientRegistration: Equatable, Sendable {
    /// What the person reads on the provider's page.
    public var name: String
    /// Loopback redirect URIs, as they are to be registered.
    public var redirectURIs: [String]
    /// Where the provider may send the browser when it has ended its own session (OpenID Connect RP-Initiated Logout 1.0 section 3.1).
    public var postLogoutRedirectURIs: [String]
    public var scopes: ScopeSet
    /// `authorization_code`, `refresh_token` and what else will be asked for.
    public var grantTypes: [String]
    /// Whether all tokens are to be bound to a key (RFC 9449 section 5.2).
    public var requiresProof: Bool
    /// `token_endpoint_auth_method`: `none` for a public client, or how a secret that the server imposes is shown.
    public var authenticationMethod = "none"

    public init(
        name: String, redirectURIs: [String], postLogoutRedirectURIs: [String] = [], scopes: ScopeSet = [],
        grantTypes: [String] = ["authorization_code", "refresh_token"], requiresProof: Bool = false
    ) {
        self.name = name
        self.redirectURIs = redirectURIs
        self.postLogoutRedirectURIs = postLogoutRedirectURIs
        self.scopes = scopes
        self.grantTypes = grantTypes
        self.requiresProof = requiresProof
    }

    /// The way to authenticate that suits a server: a public client's where it may, else by a secret in the body or in the header.
    ///
    /// - Parameter methods: `token_endpoint_auth_methods_supported`; a server that publishes none takes public clients.
    public static func authenticationMethod(among methods: [String]?) -> String {
        guard let methods, !methods.isEmpty, !methods.contains("none") else { return "none" }
        return ["client_secret_post", "client_secret_basic"].first(where: methods.contains) ?? "none"
    }

    /// The client's metadata (section 2): a native application.
    public var metadata: JSONValue {
        var members: [JSONValue.Member] = [
            .init("client_name", .string(name)), .init("application_type", "native"),
            .init("redirect_uris", .array(redirectURIs.map { .string($0) })),
            .init("grant_types", .array(grantTypes.map { .string($0) })), .init("response_types", ["code"]),
            .init("token_endpoint_auth_method", .string(authenticationMethod)),
        ]
        if !postLogoutRedirectURIs.isEmpty {
            members.append(.init("post_logout_redirect_uris", .array(postLogoutRedirectURIs.map { .string($0) })))
        }
        if !scopes.isEmpty { members.append(.init("scope", .string(scopes.wire))) }
        if requiresProof { members.append(.init("dpop_bound_access_tokens", true)) }
        return .object(members)
    }

    /// The request (section 3.1).
    ///
    /// - Parameter initialAccessToken: what the provider wants to see before it takes a registration, where it does.
    public func request(at metadata: ProviderMetadata, initialAccessToken: Secret? = nil) throws(OAuthError) -> WebRequest {
        guard let url = metadata.registrationEndpoint else {
            throw OAuthError(.registration, .noEndpoint("registration endpoint"), host: metadata.issuer?.url.origin.authority)
        }
        var headers = [(name: "Content-Type", value: "application/json"), (name: "Accept", value: "application/json")]
        if let initialAccessToken { headers.append(("Authorization", "Bearer \(initialAccessToken.reveal())")) }
        return WebRequest(method: .post, url: url, headers: headers, body: Array(self.metadata.text.utf8))
    }
}
