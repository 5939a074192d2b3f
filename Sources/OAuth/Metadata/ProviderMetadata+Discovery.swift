public import AuthModel

extension ProviderMetadata {
    /// The required contents of a metadata document.
    public enum Requirement: Sendable {
        /// The members needed for OpenID Connect: authorization endpoint, token endpoint and keys.
        case openID
        /// All members that Discovery section 3 requires, including unused ones.
        case openIDComplete
        /// Authorization and token endpoint (RFC 8414 section 2).
        case oauth
        /// Only the correct issuer: for a second document, or together with endpoints from the configuration.
        case nothing

        var members: [String] {
            let common = ["authorization_endpoint", "token_endpoint"]
            return switch self {
            case .openID: common + ["jwks_uri"]
            case .openIDComplete:
                common + ["jwks_uri", "response_types_supported", "subject_types_supported", "id_token_signing_alg_values_supported"]
            case .oauth: common
            case .nothing: []
            }
        }
    }

    /// Returns the possible metadata URLs of `issuer`, most likely first.
    ///
    /// Discovery section 4 appends the well-known path to the issuer; RFC 8414 section 3 inserts it between host and path. Some servers
    /// append that of RFC 8414.
    public static func locations(of issuer: Issuer, kind: ProviderKind) -> [WebURL] {
        var path = issuer.url.path
        if path.hasSuffix("/") { path.removeLast() }
        let base = String(issuer.text.dropLast(issuer.url.path.utf8.count))
        let appended = base + path + "/.well-known/openid-configuration"
        let inserted = base + "/.well-known/oauth-authorization-server" + path
        let compatible = base + "/.well-known/openid-configuration" + path
        let own = [.oauth2, .exchange].contains(kind) ? [inserted, appended] : [appended, inserted]
        let texts = own + [compatible, base + path + "/.well-known/oauth-authorization-server"]
        var urls: [WebURL] = []
        for text in texts { if let url = WebURL(text), !urls.contains(url) { urls.append(url) } }
        return urls
    }

    /// Builds the request for the document at `location`.
    public static func request(_ location: WebURL) -> WebRequest {
        WebRequest(method: .get, url: location, headers: [("Accept", "application/json")])
    }

    /// Reads the response. Accepts it only if its issuer is the requested one (RFC 8414 section 3.3).
    ///
    /// - Parameters:
    ///   - issuer: the identifier that the location was derived from.
    ///   - pattern: the issuers of the provider's tenants. The document's issuer must then be the pattern or the issuer of one tenant, and
    ///     of the same tenant if `issuer` names one by its ID.
    ///   - now: the time, for a `Retry-After` that is a date.
    /// - Throws: ``OAuthError`` that names the invalid member and the host.
    public init(
        _ response: WebResponse, issuer: Issuer, requirement: Requirement, pattern: IssuerPattern? = nil, now: Timestamp
    ) throws(OAuthError) {
        let host = issuer.url.origin.authority
        try response.requireSuccess(.discovery, host: host, now: now)
        let reader = try ResponseReader(response, .discovery, host: host)
        // Checks the issuer first, because other errors in another issuer's document are irrelevant.
        let found = try reader.requiredString("issuer")
        let rule = pattern.flatMap { IssuerRule(published: found, pattern: $0) }
        guard rule.map({ $0.isFound(at: issuer) }) ?? (pattern == nil && found.hasSameBytes(as: issuer.text)) else {
            throw OAuthError(.discovery, .issuerMismatch(found: ServerError.cut(found, limit: 200)), host: host)
        }
        for member in requirement.members where [nil, .null, ""].contains(reader.object[member]) {
            throw reader.missing(member)
        }
        try self.init(reader, issuer: issuer)
        tenantIssuer = rule
    }

    private init(_ answer: ResponseReader, issuer: Issuer) throws(OAuthError) {
        self.init()
        var reader = answer
        reader.allowsLocalEndpoints = issuer.url.origin.isThisMachine
        self.issuer = issuer
        authorizationEndpoint = try reader.endpoint("authorization_endpoint")
        tokenEndpoint = try reader.endpoint("token_endpoint")
        userInfoEndpoint = try reader.endpoint("userinfo_endpoint")
        keysEndpoint = try reader.endpoint("jwks_uri")
        revocationEndpoint = try reader.endpoint("revocation_endpoint")
        introspectionEndpoint = try reader.endpoint("introspection_endpoint")
        endSessionEndpoint = try reader.endpoint("end_session_endpoint")
        deviceAuthorizationEndpoint = try reader.endpoint("device_authorization_endpoint")
        pushedAuthorizationEndpoint = try reader.endpoint("pushed_authorization_request_endpoint")
        registrationEndpoint = try reader.endpoint("registration_endpoint")
        certificateEndpoints = try Self.aliases(in: reader)
        requiresPushedRequests = try reader.bool("require_pushed_authorization_requests") ?? false
        announcesIssuerInResponses = try reader.bool("authorization_response_iss_parameter_supported") ?? false
        supportsClientIDDocuments = try reader.bool("client_id_metadata_document_supported") ?? false
        scopes = try reader.strings("scopes_supported")
        responseTypes = try reader.strings("response_types_supported")
        _ = try reader.strings("subject_types_supported")
        responseModes = try reader.strings("response_modes_supported")
        grantTypes = try reader.strings("grant_types_supported")
        // Members of drafts, which may still change.
        grantProfiles = reader.object["authorization_grant_profiles_supported"]?.strings
        chainingTokenTypes = reader.object["identity_chaining_requested_token_types_supported"]?.strings
        codeChallengeMethods = try reader.strings("code_challenge_methods_supported")
        promptValues = try reader.strings("prompt_values_supported")
        contextClasses = try reader.strings("acr_values_supported")
        // A Solid server has one text.
        let method = reader.object["token_endpoint_auth_methods_supported"]?.string
        tokenAuthenticationMethods = if let method { [method] } else { try reader.strings("token_endpoint_auth_methods_supported") }
        tokenAuthenticationAlgorithms = try reader.strings("token_endpoint_auth_signing_alg_values_supported")
        revocationAuthenticationMethods = try reader.strings("revocation_endpoint_auth_methods_supported")
        idTokenAlgorithms = try reader.strings("id_token_signing_alg_values_supported")
        userInfoAlgorithms = try reader.strings("userinfo_signing_alg_values_supported")
        proofAlgorithms = try reader.strings("dpop_signing_alg_values_supported")
    }

    /// The endpoints that may be others for clients with a certificate.
    static let aliasedEndpoints: [(member: String, endpoint: any WritableKeyPath<ProviderMetadata, WebURL?> & Sendable)] = [
        ("token_endpoint", \.tokenEndpoint), ("userinfo_endpoint", \.userInfoEndpoint), ("revocation_endpoint", \.revocationEndpoint),
        ("introspection_endpoint", \.introspectionEndpoint), ("device_authorization_endpoint", \.deviceAuthorizationEndpoint),
        ("pushed_authorization_request_endpoint", \.pushedAuthorizationEndpoint), ("registration_endpoint", \.registrationEndpoint),
    ]

    /// Reads the endpoints for clients with a certificate (`mtls_endpoint_aliases`, RFC 8705 section 5), validated like other endpoints.
    private static func aliases(in metadata: ResponseReader) throws(OAuthError) -> [String: WebURL] {
        // An empty list is how PHP writes an empty object.
        guard let aliases = metadata.object["mtls_endpoint_aliases"], aliases != .null, aliases != [] else { return [:] }
        guard aliases.members != nil else { throw metadata.wrong("mtls_endpoint_aliases", UserMessage("phrase.expected_object")) }
        var reader = ResponseReader(aliases, metadata.operation, host: metadata.host)
        reader.allowsLocalEndpoints = metadata.allowsLocalEndpoints
        var endpoints: [String: WebURL] = [:]
        for (member, _) in aliasedEndpoints { endpoints[member] = try reader.endpoint(member) }
        return endpoints
    }
}
