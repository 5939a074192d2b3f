public import AuthModel

/// The validated metadata of a provider (OpenID Connect Discovery section 3, RFC 8414 section 2).
///
/// Every endpoint is safe for credentials: https, or http on a loopback literal, without user information and fragment.
public struct ProviderMetadata: Equatable, Sendable {
    /// The issuer; `nil` only for configured endpoints of a provider without an issuer.
    public var issuer: Issuer?
    /// The issuer in the document of a provider with tenants; `nil` for a provider with one issuer.
    var tenantIssuer: IssuerRule?
    /// The accepted issuers of responses and ID tokens; `nil` for a provider without an issuer.
    public var issuerRule: IssuerRule? { tenantIssuer ?? issuer.map(IssuerRule.init) }
    /// The authorization endpoint.
    public var authorizationEndpoint: WebURL?
    /// The token endpoint.
    public var tokenEndpoint: WebURL?
    /// The UserInfo endpoint.
    public var userInfoEndpoint: WebURL?
    /// The URL of the issuer's signing keys (`jwks_uri`).
    public var keysEndpoint: WebURL?
    /// The revocation endpoint (RFC 7009).
    public var revocationEndpoint: WebURL?
    /// The introspection endpoint (RFC 7662).
    public var introspectionEndpoint: WebURL?
    /// The end-session endpoint (OpenID Connect RP-Initiated Logout section 2.1).
    public var endSessionEndpoint: WebURL?
    /// The device authorization endpoint (RFC 8628 section 4).
    public var deviceAuthorizationEndpoint: WebURL?
    /// The pushed authorization request endpoint (RFC 9126 section 5).
    public var pushedAuthorizationEndpoint: WebURL?
    /// The registration endpoint (RFC 7591).
    public var registrationEndpoint: WebURL?

    /// Whether the provider accepts only pushed authorization requests (RFC 9126).
    public var requiresPushedRequests = false
    /// Whether all authorization responses contain `iss` (RFC 9207 section 3).
    public var announcesIssuerInResponses = false
    /// Whether a client identifier may be the URL of the client's metadata; see ``ClientIDDocument``.
    public var supportsClientIDDocuments = false

    /// Endpoints for clients that authenticate with a certificate, by their members; see ``forCertificateClients``.
    var certificateEndpoints: [String: WebURL] = [:]

    // In the lists below, `nil` means that the provider does not say.
    /// `scopes_supported`; `nil` if the provider does not say.
    public var scopes: [String]?
    /// `response_types_supported`; `nil` if the provider does not say.
    public var responseTypes: [String]?
    /// `response_modes_supported`; `nil` if the provider does not say.
    public var responseModes: [String]?
    /// `grant_types_supported`; `nil` if the provider does not say.
    public var grantTypes: [String]?
    /// `authorization_grant_profiles_supported`; `nil` if the provider does not say.
    public var grantProfiles: [String]?
    /// `identity_chaining_requested_token_types_supported`; `nil` if the provider does not say.
    public var chainingTokenTypes: [String]?
    /// `code_challenge_methods_supported`; `nil` if the provider does not say.
    public var codeChallengeMethods: [String]?
    /// `prompt_values_supported` (Initiating User Registration 1.0 section 5). `create` means that users can create accounts.
    public var promptValues: [String]?
    /// `acr_values_supported`; `nil` if the provider does not say.
    public var contextClasses: [String]?
    /// `token_endpoint_auth_methods_supported`; `nil` if the provider does not say.
    public var tokenAuthenticationMethods: [String]?
    /// `revocation_endpoint_auth_methods_supported`; `nil` if the provider does not say.
    public var revocationAuthenticationMethods: [String]?
    /// `id_token_signing_alg_values_supported`; `nil` if the provider does not say.
    public var idTokenAlgorithms: [String]?
    /// `userinfo_signing_alg_values_supported`; `nil` if the provider does not say.
    public var userInfoAlgorithms: [String]?
    /// `token_endpoint_auth_signing_alg_values_supported`; `nil` if the provider does not say.
    public var tokenAuthenticationAlgorithms: [String]?
    /// `dpop_signing_alg_values_supported`; `nil` if the provider does not say.
    public var proofAlgorithms: [String]?

    /// Creates empty metadata.
    public init() {}

    /// Creates metadata from configured endpoints.
    public init(_ endpoints: ProviderConfiguration.Endpoints, issuer: Issuer? = nil) {
        self.issuer = issuer
        override(with: endpoints)
    }

    /// Returns the metadata of an authorization server without a document, at an MCP server of the revision 2025-03-26 ("Fallbacks for
    /// Servers without Metadata Discovery"): the endpoints have fixed paths, and PKCE is required.
    public static func withoutDocument(at issuer: Issuer) -> ProviderMetadata {
        var metadata = ProviderMetadata()
        metadata.issuer = issuer
        let origin = issuer.url.origin.description
        metadata.authorizationEndpoint = WebURL(origin + "/authorize")
        metadata.tokenEndpoint = WebURL(origin + "/token")
        metadata.registrationEndpoint = WebURL(origin + "/register")
        metadata.codeChallengeMethods = ["S256"]
        return metadata
    }

    /// Replaces published endpoints with configured ones.
    public mutating func override(with endpoints: ProviderConfiguration.Endpoints) {
        authorizationEndpoint = endpoints.authorization ?? authorizationEndpoint
        tokenEndpoint = endpoints.token ?? tokenEndpoint
        userInfoEndpoint = endpoints.userInfo ?? userInfoEndpoint
        revocationEndpoint = endpoints.revocation ?? revocationEndpoint
        endSessionEndpoint = endpoints.endSession ?? endSessionEndpoint
        deviceAuthorizationEndpoint = endpoints.deviceAuthorization ?? deviceAuthorizationEndpoint
    }

    /// Adds optional endpoints from the provider's other metadata document.
    ///
    /// Some providers publish revocation or registration only in the RFC 8414 document. Existing values are not replaced, and a document of
    /// another issuer is ignored.
    public mutating func supplement(from other: ProviderMetadata) {
        guard issuer != nil, other.issuerRule == issuerRule else { return }
        userInfoEndpoint = userInfoEndpoint ?? other.userInfoEndpoint
        revocationEndpoint = revocationEndpoint ?? other.revocationEndpoint
        introspectionEndpoint = introspectionEndpoint ?? other.introspectionEndpoint
        endSessionEndpoint = endSessionEndpoint ?? other.endSessionEndpoint
        deviceAuthorizationEndpoint = deviceAuthorizationEndpoint ?? other.deviceAuthorizationEndpoint
        pushedAuthorizationEndpoint = pushedAuthorizationEndpoint ?? other.pushedAuthorizationEndpoint
        registrationEndpoint = registrationEndpoint ?? other.registrationEndpoint
        grantProfiles = grantProfiles ?? other.grantProfiles
        chainingTokenTypes = chainingTokenTypes ?? other.chainingTokenTypes
        codeChallengeMethods = codeChallengeMethods ?? other.codeChallengeMethods
        requiresPushedRequests = requiresPushedRequests || other.requiresPushedRequests
        announcesIssuerInResponses = announcesIssuerInResponses || other.announcesIssuerInResponses
        supportsClientIDDocuments = supportsClientIDDocuments || other.supportsClientIDDocuments
        proofAlgorithms = proofAlgorithms ?? other.proofAlgorithms
    }

    /// Whether the metadata lacks an endpoint that some providers publish only in their other document; see ``supplement(from:)``.
    public var lacksOptionalEndpoints: Bool {
        revocationEndpoint == nil || introspectionEndpoint == nil || registrationEndpoint == nil
    }

    /// Whether users can create accounts with `prompt=create`; `nil` if the provider does not list its prompts.
    public var offersAccountCreation: Bool? { promptValues.map { $0.contains("create") } }

    /// The metadata for a client that presents a certificate, with the endpoints that the provider has for such clients, if any (RFC 8705
    /// section 5). Other clients do not use these endpoints.
    public var forCertificateClients: ProviderMetadata {
        var metadata = self
        for (member, endpoint) in Self.aliasedEndpoints {
            if let alias = certificateEndpoints[member] { metadata[keyPath: endpoint] = alias }
        }
        return metadata
    }
}

/// The accepted issuers of a provider's responses and tokens: one issuer, or those of its tenants.
public struct IssuerRule: Equatable, Sendable {
    /// The issuer in the provider's metadata, byte for byte: an issuer identifier, or the text of ``pattern``.
    public let published: String
    /// The issuers of the provider's tenants, if it has tenants.
    public let pattern: IssuerPattern?

    /// Creates a rule for a provider with one issuer.
    public init(_ issuer: Issuer) {
        published = issuer.text
        pattern = nil
    }

    /// Creates a rule for a provider with tenants. Returns `nil` if the issuer in the metadata is neither the pattern nor of a tenant.
    public init?(published: String, pattern: IssuerPattern) {
        guard pattern.isPattern(published) || pattern.isTenantIssuer(published) else { return nil }
        self.published = published
        self.pattern = pattern
    }

    /// Returns the issuer by the name in the metadata: Google's documentation says that its ID tokens may name it without the scheme.
    func normalized(_ issuer: String) -> String {
        published == "https://accounts.google.com" && issuer == "accounts.google.com" ? published : issuer
    }

    /// Whether the metadata names one issuer and not the pattern.
    private var isConcrete: Bool { pattern?.isPattern(published) != true }

    var origin: Origin? { pattern?.origin ?? WebURL(published)?.origin }

    /// Whether metadata with this issuer may be at the place of `issuer`, which can name its tenant by a domain or an alias.
    func isFound(at issuer: Issuer) -> Bool {
        guard let pattern, let tenant = pattern.tenant(of: issuer.text), tenant.isUUID else { return true }
        return issuer.text.hasSameBytes(as: published)
    }

    /// Whether `iss` of an ID token is accepted. With a pattern, it must be the issuer of the tenant that the token names, and equal the
    /// metadata's issuer if that is the one of a tenant.
    ///
    /// - Parameter tenant: the claim `tid` of the same token.
    func admits(token issuer: String, tenant: String?) -> Bool {
        if let pattern {
            guard let tenant, let expected = pattern.issuer(of: tenant), issuer.hasSameBytes(as: expected) else { return false }
        }
        return !isConcrete || issuer.hasSameBytes(as: published)
    }

    /// Whether `iss` of an authorization response is accepted (RFC 9207 section 2.4). The tenant is not known yet, so with a pattern the
    /// issuer of any tenant is, and the ID token decides.
    func admits(response issuer: String) -> Bool {
        if isConcrete { return issuer.hasSameBytes(as: published) }
        return pattern?.isTenantIssuer(issuer) == true || issuer.hasSameBytes(as: published)
    }

    /// Whether a key with this `issuer` may sign a token: some providers with tenants have keys that are for one tenant only.
    func admits(key issuer: String, of token: String) -> Bool {
        guard let pattern else { return true }
        return pattern.isPattern(issuer) || issuer.hasSameBytes(as: token)
    }
}
