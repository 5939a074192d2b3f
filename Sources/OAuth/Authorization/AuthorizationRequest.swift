public import AuthModel

/// An authorization request (RFC 6749 section 4.1.1, OpenID Connect Core section 3.1.2.1): code flow with PKCE S256, state and nonce.
public struct AuthorizationRequest: Sendable {
    public var clientID: String
    /// Byte for byte as it will be sent with the code, too.
    public var redirectURI: String
    public var scopes: ScopeSet
    /// `login`, `consent`, `create` …
    public var prompt: String?
    public var loginHint: String?
    /// Seconds since the person last showed who they are, at most.
    public var maxAge: Int?
    public var acrValues: String?
    public var uiLocales: String?
    /// What the tokens are for (RFC 8707), each an absolute URI.
    public var resources: [String]
    /// The thumbprint of the key the tokens are to be bound to (RFC 9449 section 10).
    public var proofKeyThumbprint: String?
    /// Parameters of the provider's own. Those of the request itself cannot be set here.
    public var extraParameters: [String: String]

    public init(
        clientID: String, redirectURI: String, scopes: ScopeSet, prompt: String? = nil, loginHint: String? = nil, maxAge: Int? = nil,
        acrValues: String? = nil, uiLocales: String? = nil, resources: [String] = [], proofKeyThumbprint: String? = nil,
        extraParameters: [String: String] = [:]
    ) {
        self.clientID = clientID
        self.redirectURI = redirectURI
        self.scopes = scopes
        self.prompt = prompt
        self.loginHint = loginHint
        self.maxAge = maxAge
        self.acrValues = acrValues
        self.uiLocales = uiLocales
        self.resources = resources
        self.proofKeyThumbprint = proofKeyThumbprint
        self.extraParameters = extraParameters
    }

    /// Names that belong to the request, whatever a configuration says.
    public static let ownParameters: Set<String> = [
        "response_type", "response_mode", "client_id", "client_secret", "redirect_uri", "scope", "state", "nonce", "code_challenge",
        "code_challenge_method", "code_verifier", "max_age", "dpop_jkt", "request", "request_uri", "client_assertion",
        "client_assertion_type",
    ]

    /// Names that a configuration may set, and that the request's own value replaces.
    static let optionalParameters: Set<String> = ["prompt", "login_hint", "acr_values", "ui_locales", "resource"]

    /// A request ready to be sent, with what its answer is to be checked against.
    public struct Prepared: Equatable, Sendable {
        /// Where the person's browser is to be sent.
        public let url: WebURL
        public let pending: PendingAuthorization
        /// The parameters, in their order; a pushed request (RFC 9126) sends these instead.
        let parameters: [Parameter]

        struct Parameter: Equatable, Sendable {
            let name: String
            let value: String
        }
    }

    /// Makes state, nonce and verifier, 256 bits each, and the URL.
    ///
    /// S256 is sent also where the provider does not announce it (RFC 9700 section 2.1.1); a provider that announces `plain` alone is
    /// refused (RFC 7636 section 7.2).
    ///
    /// - Parameter generator: a cryptographically secure one; it is asked anew for every attempt.
    public func prepare(
        for metadata: ProviderMetadata, using generator: inout some RandomNumberGenerator
    ) throws(OAuthError) -> Prepared {
        let host = metadata.issuer?.url.origin.authority ?? metadata.authorizationEndpoint?.origin.authority
        guard let endpoint = metadata.authorizationEndpoint else {
            throw OAuthError(.authorization, .noEndpoint("authorization endpoint"), host: host)
        }
        if let methods = metadata.codeChallengeMethods, methods.contains("plain"), !methods.contains("S256") {
            throw OAuthError(.authorization, .onlyPlainChallenge, host: host)
        }
        try checkOwnValues(host: host)
        if let own = extraParameters.keys.sorted().first(where: Self.ownParameters.contains) {
            throw OAuthError(.authorization, .misconfigured("extra_params may not set \(own)"), host: host)
        }
        if let doubled = Self.doubledParameter(of: endpoint, with: extraParameters.keys) {
            throw OAuthError(.authorization, .misconfigured("the authorization endpoint already has a parameter \(doubled)"), host: host)
        }
        let pending = PendingAuthorization(
            issuer: metadata.issuer, authorizationEndpoint: endpoint, expectsIssuer: metadata.announcesIssuerInResponses,
            clientID: clientID, redirectURI: redirectURI, scopes: scopes, state: FreshValue.make(using: &generator),
            nonce: FreshValue.make(using: &generator), verifier: FreshValue.make(using: &generator), maxAge: maxAge,
            resources: resources)
        let parameters = self.parameters(pending)
        guard let url = endpoint.appending(query: parameters) else {
            throw OAuthError(.authorization, .misconfigured("the authorization request is too long for a URL"), host: host)
        }
        return Prepared(url: url, pending: pending, parameters: parameters.map { Prepared.Parameter(name: $0.0, value: $0.1) })
    }

    private func parameters(_ pending: PendingAuthorization) -> [(String, String)] {
        var list = [("response_type", "code"), ("client_id", clientID), ("redirect_uri", redirectURI)]
        if !scopes.isEmpty { list.append(("scope", scopes.wire)) }
        list += [
            ("state", pending.state.reveal()), ("nonce", pending.nonce.reveal()),
            ("code_challenge", ProofKey.challenge(for: pending.verifier)), ("code_challenge_method", "S256"),
        ]
        let optional = [
            ("prompt", prompt), ("login_hint", loginHint), ("max_age", maxAge.map { String($0) }), ("acr_values", acrValues),
            ("ui_locales", uiLocales), ("dpop_jkt", proofKeyThumbprint),
        ]
        for case (let name, let value?) in optional where !value.isEmpty { list.append((name, value)) }
        list += resources.map { ("resource", $0) }
        let given = Set(list.map(\.0))
        list += extraParameters.filter { !given.contains($0.key) }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        return list
    }

    private func checkOwnValues(host: String?) throws(OAuthError) {
        if clientID.isEmpty { throw OAuthError(.authorization, .misconfigured("client_id is empty"), host: host) }
        guard scopes.values.allSatisfy(ScopeSet.isScope) else {
            throw OAuthError(.authorization, .misconfigured("a scope has a character that scopes cannot have"), host: host)
        }
    }

    /// A parameter that the endpoint's own query has already; none may be sent twice (RFC 6749 section 3.1).
    private static func doubledParameter(of endpoint: WebURL, with extra: some Sequence<String>) -> String? {
        let present = FormEncoding.decode(endpoint.query ?? "")?.map(\.name) ?? []
        let ours = ownParameters.union(optionalParameters).union(extra)
        return present.first(where: ours.contains)
    }
}
