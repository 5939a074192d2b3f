public import AuthModel
import Crypto

/// An authorization request (RFC 6749 section 4.1.1, OpenID Connect Core section 3.1.2.1): code flow with PKCE S256, state and, for
/// an ID token, a nonce.
public struct AuthorizationRequest: Sendable {
    /// The client identifier.
    public var clientID: String
    /// The redirect URI. The same bytes are sent again with the code.
    public var redirectURI: String
    /// The scopes to request.
    public var scopes: ScopeSet
    /// The `prompt` parameter: `login`, `consent`, `create` …
    public var prompt: String?
    /// The `login_hint` parameter.
    public var loginHint: String?
    /// The `max_age` parameter: the maximum time since the user last authenticated, in seconds.
    public var maxAge: Int?
    /// The `acr_values` parameter.
    public var acrValues: String?
    /// The `ui_locales` parameter.
    public var uiLocales: String?
    /// The resources that the tokens are for (RFC 8707), as absolute URIs.
    public var resources: [String] = []
    /// The thumbprint of the key to bind the tokens to (RFC 9449 section 10).
    public var dpopKeyThumbprint: String?
    /// The claims to request, as a JSON object (OpenID Connect Core section 5.5).
    public var claims: String?
    /// Additional parameters of the provider. They must not set ``ownParameters``.
    public var extraParameters: [String: String] = [:]
    /// The differences of the service from the standards.
    public var dialect: ProviderDialect
    /// Whether responses must have `iss`, even if the provider does not announce it now (RFC 9207 section 2.4): the client has a redirect
    /// URI that it, or other clients, have at other providers too.
    public var requiresIssuer = false

    /// Creates an authorization request.
    public init(clientID: String, redirectURI: String, scopes: ScopeSet, dialect: ProviderDialect = ProviderDialect()) {
        self.clientID = clientID
        self.redirectURI = redirectURI
        self.scopes = scopes
        self.dialect = dialect
    }

    /// The parameters that only this library may set. A configuration that sets one is refused.
    public static let ownParameters: Set<String> = [
        "response_type", "response_mode", "client_id", "client_secret", "redirect_uri", "scope", "state", "nonce", "code_challenge",
        "code_challenge_method", "code_verifier", "max_age", "dpop_jkt", "request", "request_uri", "client_assertion",
        "client_assertion_type",
    ]

    /// A request that is ready to send, with the values that its response is checked against.
    public struct Prepared: Equatable, Sendable {
        /// The URL to open in the user's browser.
        public let url: WebURL
        /// The values that the response is checked against.
        public let pending: PendingAuthorization
        /// The parameters in order. A pushed request (RFC 9126) sends these instead of the URL.
        let parameters: [Parameter]

        struct Parameter: Equatable, Sendable {
            let name: String
            let value: String
        }
    }

    /// Generates state, nonce and code verifier, 256 bits each, and builds the URL.
    ///
    /// Always sends S256, even if the provider does not announce it (RFC 9700 section 2.1.1). Refuses a provider that announces only
    /// `plain` (RFC 7636 section 7.2). Only a ``dialect`` that refuses PKCE turns it off.
    ///
    /// - Parameter generator: a cryptographically secure generator. Fresh values are drawn for every attempt.
    public func prepare(
        for metadata: ProviderMetadata, using generator: inout some RandomNumberGenerator
    ) throws(OAuthError) -> Prepared {
        let host = metadata.issuer?.url.origin.authority ?? metadata.authorizationEndpoint?.origin.authority
        guard let endpoint = metadata.authorizationEndpoint else {
            throw OAuthError(.authorization, .noEndpoint(UserMessage("phrase.authorization_endpoint")), host: host)
        }
        let usesPKCE = dialect.pkce != .refused
        if usesPKCE, let methods = metadata.codeChallengeMethods, methods.contains("plain"), !methods.contains("S256") {
            throw OAuthError(.authorization, .onlyPlainChallenge, host: host)
        }
        try checkOwnValues(host: host)
        if let own = extraParameters.keys.sorted().first(where: Self.ownParameters.contains) {
            throw OAuthError(
                .authorization, .misconfigured(UserMessage("authorization.extra_params_must_not_set", ["parameter": own])), host: host)
        }
        let pending = PendingAuthorization(
            issuer: metadata.issuer, issuerRule: metadata.issuerRule, authorizationEndpoint: endpoint,
            expectsIssuer: metadata.announcesIssuerInResponses || requiresIssuer, announcesIssuer: metadata.announcesIssuerInResponses,
            clientID: clientID, clientParameter: dialect.clientParameter, codeParameter: dialect.codeParameter,
            callbackMembers: dialect.callbackMembers, redirectURI: redirectURI, scopes: scopes, state: RandomValue.make(using: &generator),
            nonce: RandomValue.make(using: &generator), verifier: RandomValue.make(using: &generator), usesPKCE: usesPKCE,
            maxAge: maxAge, resources: resources)
        let present = FormEncoding.decode(endpoint.query ?? "") ?? []
        // The address at some MCP servers has the prompt or the resource that Yett would send.
        let parameters = self.parameters(pending).filter { name, value in
            !["prompt", "resource"].contains(name) || !present.contains { $0.name == name && $0.value == value }
        }
        // No parameter may be sent twice (RFC 6749 section 3.1), but resources (RFC 8707 section 2).
        let taken = Self.ownParameters.union(parameters.map(\.0)).subtracting(["resource"])
        if let doubled = present.map(\.name).first(where: taken.contains) {
            throw OAuthError(
                .authorization, .misconfigured(UserMessage("authorization.endpoint_parameter_repeated", ["parameter": doubled])), host: host
            )
        }
        guard let url = endpoint.appending(query: parameters) else {
            throw OAuthError(.authorization, .misconfigured(UserMessage("authorization.request_too_long")), host: host)
        }
        return Prepared(url: url, pending: pending, parameters: parameters.map { Prepared.Parameter(name: $0.0, value: $0.1) })
    }

    private func parameters(_ pending: PendingAuthorization) -> [(String, String)] {
        var list = [("response_type", "code"), (dialect.clientParameter, clientID), (dialect.redirectParameter.rawValue, redirectURI)]
        if !scopes.isEmpty { list.append((dialect.scopeParameter, scopes.values.joined(separator: dialect.scopeSeparator))) }
        list.append(("state", pending.state.reveal()))
        // For an ID token (OpenID Connect Core section 3.1.2.1). Servers of plain OAuth may refuse it, such as those of atproto.
        if scopes.contains("openid") { list.append(("nonce", pending.nonce.reveal())) }
        if pending.usesPKCE {
            let challenge = PKCE.challenge(for: pending.verifier, isHex: dialect.pkce == .hex)
            list += [("code_challenge", challenge), ("code_challenge_method", "S256")]
        }
        let optional = [
            ("prompt", prompt), ("login_hint", loginHint), ("max_age", maxAge.map { String($0) }), ("acr_values", acrValues),
            ("ui_locales", uiLocales), ("dpop_jkt", dpopKeyThumbprint), ("claims", claims),
        ]
        for case (let name, let value?) in optional where !value.isEmpty { list.append((name, value)) }
        list += resources.map { ("resource", $0) }
        let given = Set(list.map(\.0))
        list += extraParameters.filter { !given.contains($0.key) }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        return list
    }

    private func checkOwnValues(host: String?) throws(OAuthError) {
        if clientID.isEmpty { throw OAuthError(.authorization, .misconfigured(UserMessage("client.id_empty")), host: host) }
        guard scopes.values.allSatisfy(ScopeSet.isScope) else {
            throw OAuthError(.authorization, .misconfigured(UserMessage("authorization.scope_invalid_character")), host: host)
        }
    }
}

/// Proof Key for Code Exchange (RFC 7636), S256 only.
public enum PKCE {
    /// Returns `BASE64URL(SHA256(verifier))` (RFC 7636 section 4.2); with `isHex`, the hash in hexadecimal digits.
    public static func challenge(for verifier: Secret, isHex: Bool = false) -> String {
        verifier.withBytes { bytes in
            let hash = SHA256.hash(data: bytes)
            return isHex ? hash.hexadecimal : Base64URL.encode(hash)
        }
    }
}

/// Generates unguessable values: 256 bits from the given generator, in base64url (43 characters).
enum RandomValue {
    static func make(using generator: inout some RandomNumberGenerator) -> Secret { Secret(Base64URL.encode(bytes(using: &generator))) }

    /// Returns the 32 bytes without encoding.
    static func bytes(using generator: inout some RandomNumberGenerator) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<4 {
            let word: UInt64 = generator.next()
            for shift in stride(from: UInt64(0), to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: word >> shift)) }
        }
        return bytes
    }
}

/// Pushed authorization requests (RFC 9126): the parameters are sent directly to the provider, and the browser carries only a reference.
public enum PushedAuthorization {
    /// A reference to an accepted request. It can be used once, within its lifetime (section 2.2).
    public struct Reference: Equatable, Sendable {
        /// The URL to open in the user's browser. It contains `client_id` and `request_uri` alone (section 4, FAPI 2.0 section 5.3.3.2).
        public let url: WebURL
        /// The lifetime of the request after its response.
        public let lifetime: Duration
    }

    /// Builds the request that pushes a prepared request (section 2.1), with the client authentication of the token endpoint.
    public static func request(
        _ prepared: AuthorizationRequest.Prepared, at metadata: ProviderMetadata, client: OAuthClient
    ) throws(OAuthError) -> WebRequest {
        let pending = prepared.pending
        guard let url = metadata.pushedAuthorizationEndpoint else {
            throw OAuthError(
                .pushedAuthorization, .noEndpoint(UserMessage("phrase.pushed_authorization_endpoint")),
                host: pending.authorizationEndpoint.origin.authority)
        }
        guard metadata.issuer == pending.issuer, metadata.authorizationEndpoint == pending.authorizationEndpoint,
            client.id == pending.clientID
        else { throw OAuthError(.pushedAuthorization, .mismatch(what: UserMessage("phrase.provider")), host: url.origin.authority) }
        // Every authorization request has a client_id parameter, even with Basic authentication. It must occur only once.
        let authenticating = client.authentication
        let named = Set(authenticating.fields.map(\.0))
        let fields = prepared.parameters.filter { !named.contains($0.name) }.map { ($0.name, $0.value) }
        return .form(url, fields + authenticating.fields, headers: authenticating.headers)
    }

    /// Reads the response (section 2.2): 201, or 200 from non-conforming servers, with `request_uri` and `expires_in`.
    public static func reference(
        _ response: WebResponse, for prepared: AuthorizationRequest.Prepared, host: String?, now: Timestamp
    ) throws(OAuthError) -> Reference {
        try response.requireSuccess(.pushedAuthorization, host: host, now: now, success: [200, 201])
        let reader = try ResponseReader(response, .pushedAuthorization, host: host)
        try reader.requireNoError(status: response.status)
        let reference = try reader.requiredString("request_uri")
        guard isReference(reference) else { throw reader.wrong("request_uri", UserMessage("phrase.expected_uri")) }
        guard let lifetime = try reader.lifetime("expires_in") else { throw reader.missing("expires_in") }
        guard lifetime > .zero else { throw reader.wrong("expires_in", UserMessage("phrase.expected_positive_seconds")) }
        let pending = prepared.pending
        let fields = [(pending.clientParameter, pending.clientID), ("request_uri", reference)]
        guard let url = pending.authorizationEndpoint.appending(query: fields) else {
            throw reader.wrong("request_uri", UserMessage("phrase.expected_short_enough_for_url"))
        }
        return Reference(url: url, lifetime: lifetime)
    }

    /// Returns whether requests must be pushed: always if either side requires it; otherwise if the provider offers it and `par` is not
    /// off.
    ///
    /// - Throws: ``OAuthError`` if one side requires what the other does not offer or allow (section 5).
    public static func isUsed(_ mode: PushedRequestMode, at metadata: ProviderMetadata) throws(OAuthError) -> Bool {
        let host = metadata.issuer?.url.origin.authority ?? metadata.authorizationEndpoint?.origin.authority
        let isOffered = metadata.pushedAuthorizationEndpoint != nil
        switch mode {
        case .off where metadata.requiresPushedRequests:
            throw OAuthError(.pushedAuthorization, .misconfigured(UserMessage("authorization.par_required_but_off")), host: host)
        case .off: return false
        case .auto where !metadata.requiresPushedRequests: return isOffered
        case .auto, .required:
            guard isOffered else {
                throw OAuthError(.pushedAuthorization, .noEndpoint(UserMessage("phrase.pushed_authorization_endpoint")), host: host)
            }
            return true
        }
    }

    /// Returns whether the text is an absolute URI (RFC 3986) of at most 2048 bytes. RFC 9101 section 5.2 recommends at most 512.
    private static func isReference(_ text: String) -> Bool {
        guard text.utf8.count <= 2048, let colon = text.firstIndex(of: ":"), let first = text.utf8.first else { return false }
        let scheme = text[..<colon].utf8
        let rest = text[text.index(after: colon)...].utf8
        return first.isASCIILetter && scheme.allSatisfy { $0.isASCIIAlphanumeric || "+-.".utf8.contains($0) } && !rest.isEmpty
            && rest.allSatisfy { $0.isASCIIAlphanumeric || "-._~:/?[]@!$&'()*+,;=%".utf8.contains($0) }
    }
}
