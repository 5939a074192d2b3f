public import AuthModel

/// The registration of this program as a native public client (RFC 7591 section 2, RFC 8252).
public struct ClientRegistration: Equatable, Sendable {
    /// The client name that users see on the provider's page.
    public var name: String
    /// The loopback redirect URIs to register.
    public var redirectURIs: [String]
    /// The URIs to which the provider may redirect after logout (OpenID Connect RP-Initiated Logout 1.0 section 3.1).
    public var postLogoutRedirectURIs: [String]
    /// The scopes to register.
    public var scopes: ScopeSet
    /// The grant types that the client will use, such as `authorization_code` and `refresh_token`.
    public var grantTypes: [String]
    /// Whether all tokens must be bound to a key (RFC 9449 section 5.2).
    public var requiresProof: Bool
    /// `token_endpoint_auth_method`: `none` for a public client, otherwise how the client presents a secret that the server requires.
    public var authenticationMethod = "none"

    /// Creates a client registration.
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

    /// Returns the authentication method to register: that of a public client if permitted, otherwise a secret in the body or the header.
    ///
    /// - Parameter methods: `token_endpoint_auth_methods_supported`. A server that does not publish it accepts public clients.
    public static func authenticationMethod(among methods: [String]?) -> String {
        guard let methods, !methods.isEmpty, !methods.contains("none") else { return "none" }
        return ["client_secret_post", "client_secret_basic"].first(where: methods.contains) ?? "none"
    }

    /// The client metadata (section 2) of a native application.
    public var metadata: JSONValue {
        var members: [JSONValue.Member] = [
            .init("client_name", .string(name)), .init("application_type", "native"),
            .init("redirect_uris", .array(redirectURIs.map { .string($0) })),
            .init("grant_types", .array(grantTypes.map { .string($0) })),
            .init("response_types", grantTypes.contains("authorization_code") ? ["code"] : []),
            .init("token_endpoint_auth_method", .string(authenticationMethod)),
        ]
        if !postLogoutRedirectURIs.isEmpty {
            members.append(.init("post_logout_redirect_uris", .array(postLogoutRedirectURIs.map { .string($0) })))
        }
        if !scopes.isEmpty { members.append(.init("scope", .string(scopes.wire))) }
        if requiresProof { members.append(.init("dpop_bound_access_tokens", true)) }
        return .object(members)
    }

    /// Builds the registration request (section 3.1).
    ///
    /// - Parameter initialAccessToken: the token that some providers require for a registration.
    public func request(at metadata: ProviderMetadata, initialAccessToken: Secret? = nil) throws(OAuthError) -> WebRequest {
        guard let url = metadata.registrationEndpoint else {
            throw OAuthError(
                .registration, .noEndpoint(UserMessage("phrase.registration_endpoint")), host: metadata.issuer?.url.origin.authority)
        }
        var headers = [(name: "Content-Type", value: "application/json"), (name: "Accept", value: "application/json")]
        if let initialAccessToken { headers.append(("Authorization", "Bearer \(initialAccessToken.reveal())")) }
        return WebRequest(method: .post, url: url, headers: headers, body: Array(self.metadata.text.utf8))
    }
}

/// Client ID metadata documents: a client identifier that is the https URL of the client's metadata
/// (draft-ietf-oauth-client-id-metadata-document).
public enum ClientIDDocument {
    /// Parses a client identifier of this kind; returns `nil` if it is a different kind.
    ///
    /// It must be https, with a path without `.` and `..` segments, and without user information, fragment and query. It is compared byte
    /// for byte.
    public static func url(_ clientID: String) -> WebURL? {
        guard let url = WebURL(clientID), url.origin.scheme == .https, url.fragment == nil, url.query == nil,
            !url.path.isEmpty, url.path != "/"
        else { return nil }
        let segments = url.path.split(separator: "/", omittingEmptySubsequences: false)
        let isPlain = segments.allSatisfy { segment in
            let plain = segment.asciiLowercased().split(separator: "%2e", omittingEmptySubsequences: false).joined(separator: ".")
            return plain != "." && plain != ".."
        }
        return isPlain ? url : nil
    }

    /// Returns the document to serve at the client identifier: the client's metadata with the identifier.
    public static func document(_ registration: ClientRegistration, clientID: WebURL) -> JSONValue {
        .object([.init("client_id", .string(clientID.text))] + (registration.metadata.members ?? []))
    }
}

/// Checks without a user whether an authorization server knows a client, by sending an invalid authorization code. No protocol asks for
/// this request, so it is sent only if the user asks for the check.
///
/// A server authenticates the client before it checks the code (RFC 6749 section 4.1.3). If it knows the client, it refuses the code
/// (`invalid_grant`); otherwise it refuses the client (`invalid_client`, section 5.2).
public enum ClientCheck {
    /// Builds the request to the token endpoint.
    public static func request(_ client: OAuthClient, at metadata: ProviderMetadata) throws(OAuthError) -> WebRequest {
        guard let url = metadata.tokenEndpoint else {
            throw OAuthError(.codeExchange, .noEndpoint(UserMessage("phrase.token_endpoint")), host: metadata.issuer?.url.origin.authority)
        }
        return client.tokenRequest(
            url,
            [
                ("grant_type", "authorization_code"), ("code", "is-this-client-known"), ("redirect_uri", "http://127.0.0.1/callback"),
                ("code_verifier", String(repeating: "0", count: 43)),
            ])
    }

    /// Returns whether the response says that the client is unknown. Any other response is inconclusive.
    public static func isUnknownClient(_ response: WebResponse) -> Bool {
        [400, 401].contains(response.status) && AuthFailure.Kind.denied(code: ServerError(response)?.code) == .unknownClient
    }
}
