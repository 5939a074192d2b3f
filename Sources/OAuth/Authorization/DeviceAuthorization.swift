public import AuthModel

/// A device authorization (RFC 8628 section 3.2): the code that the user types at the provider's page, and the device code for polling.
///
/// All public properties are safe to show: the page is https (or http on a loopback literal), and the code has only characters that can be
/// typed. The device code is a secret. It leaves this library only in requests to the provider that issued it.
public struct DeviceAuthorization: Equatable, Sendable {
    /// The issuer of the device authorization; `nil` for a provider without one.
    public let issuer: Issuer?
    /// The device authorization endpoint that was used.
    public let endpoint: WebURL
    /// The client identifier.
    public let clientID: String
    /// The requested scopes.
    public let scopes: ScopeSet
    /// The resources that the tokens were requested for (RFC 8707).
    public let resources: [String]
    /// The code verifier whose challenge was sent; `nil` if none was sent, as RFC 8628 has none.
    let verifier: Secret?
    let deviceCode: Secret
    /// The code for the user to type, as the provider spelled it: 1 to 64 printable ASCII characters.
    public let userCode: String
    /// The verification page. Show it with the code even if ``completePage`` is available (section 3.3.1).
    public let page: WebURL
    /// The same page with the code filled in, for a QR code. Never opened automatically.
    public let completePage: WebURL?
    /// The host of an ignored complete page, which had another origin than ``page``; for a notice to the user.
    public let ignoredCompleteHost: String?
    /// The lifetime of both codes after the response.
    public let lifetime: Duration
    /// The minimum time between two polls.
    public let interval: Duration

    /// The polling interval if the provider does not send one (section 3.2).
    public static let standardInterval: Duration = .seconds(5)

    /// Builds the device authorization request (section 3.1).
    ///
    /// - Parameters:
    ///   - resources: the resources that the tokens are for (RFC 8707).
    ///   - acrValues: the accepted authentication context classes (RFC 9470 section 4).
    ///   - maxAge: the maximum time since the user last authenticated, in seconds.
    ///   - uiLocales: the preferred languages of the page.
    ///   - extraParameters: additional parameters of the provider. OAuth's own parameters are refused; those that are for a page in this
    ///     browser are left out.
    ///   - verifier: a code verifier, for a provider that wants PKCE here too; see ``wantsPKCE(_:)``.
    public static func request(
        scopes: ScopeSet, resources: [String] = [], acrValues: String? = nil, maxAge: Int? = nil, uiLocales: String? = nil,
        extraParameters: [String: String] = [:], verifier: Secret? = nil, at metadata: ProviderMetadata, client: OAuthClient
    ) throws(OAuthError) -> WebRequest {
        let url = try endpoint(of: metadata)
        let host = url.origin.authority
        if client.id.isEmpty { throw OAuthError(.deviceAuthorization, .misconfigured(UserMessage("client.id_empty")), host: host) }
        guard scopes.values.allSatisfy(ScopeSet.isScope) else {
            throw OAuthError(.deviceAuthorization, .misconfigured(UserMessage("authorization.scope_invalid_character")), host: host)
        }
        if let own = extraParameters.keys.sorted().first(where: AuthorizationRequest.ownParameters.contains) {
            throw OAuthError(
                .deviceAuthorization, .misconfigured(UserMessage("authorization.extra_params_must_not_set", ["parameter": own])), host: host
            )
        }
        var fields = client.scopeFields(scopes)
        fields += resources.map { ("resource", $0) }
        let optional = [("acr_values", acrValues), ("max_age", maxAge.map { String($0) }), ("ui_locales", uiLocales)]
        for case (let name, let value?) in optional where !value.isEmpty { fields.append((name, value)) }
        if let verifier { fields += [("code_challenge", PKCE.challenge(for: verifier)), ("code_challenge_method", "S256")] }
        let given = Set(fields.map(\.0))
        let additional = extraParameters.filter { !pageParameters.contains($0.key) }.merging(client.dialect.device.parameters) { $1 }
        fields += additional.filter { !given.contains($0.key) }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        // Section 3.1 requires it of public clients only, and some servers of all.
        if case .basic = client.credential { fields.append((client.dialect.clientParameter, client.id)) }
        return client.deviceRequest(url, fields)
    }

    /// Parameters of authorization requests that say how a page in this browser begins or answers. Google refuses them here.
    private static let pageParameters: Set = [
        "access_type", "approval_prompt", "display", "include_granted_scopes", "prompt", "response_mode",
    ]

    /// Generates a code verifier for a provider that wants one.
    public static func verifier(using generator: inout some RandomNumberGenerator) -> Secret { RandomValue.make(using: &generator) }

    /// Whether the provider refused a request because it wants PKCE in this flow too, as Keycloak does for a client with that setting.
    public static func wantsPKCE(_ response: WebResponse) -> Bool {
        guard response.status == 400, let error = ServerError(response), error.code == "invalid_request" else { return false }
        return error.description?.contains("code_challenge") == true
    }

    /// Reads the response (section 3.2).
    ///
    /// - A `verification_uri` that is not https, or http on a loopback literal, is refused. So is a `user_code` that cannot be shown and
    ///   typed. `verification_url`, the name before the RFC, is accepted if `verification_uri` is absent, and `code` for `device_code`.
    /// - `verification_uri_complete` is ignored unless it has the same origin, so that the user goes to the site that they checked.
    /// - `interval` is rounded up to whole seconds and is at least one second. Zero and negative values mean the default of five seconds.
    ///
    /// - Parameters:
    ///   - scopes: the requested scopes.
    ///   - resources: the requested resources. The token request repeats them.
    ///   - verifier: the code verifier whose challenge was sent.
    ///   - now: the time, for a `Retry-After` that is a date.
    public init(
        _ response: WebResponse, from metadata: ProviderMetadata, client: OAuthClient, scopes: ScopeSet, resources: [String] = [],
        verifier: Secret? = nil, now: Timestamp
    ) throws(OAuthError) {
        self.verifier = verifier
        endpoint = try Self.endpoint(of: metadata)
        issuer = metadata.issuer
        clientID = client.id
        self.scopes = scopes
        self.resources = resources
        let host = endpoint.origin.authority
        try response.requireSuccess(.deviceAuthorization, host: host, now: now, success: [200, 201])
        var reader = try ResponseReader(response, .deviceAuthorization, host: host)
        // A remote provider must not send the browser to services of this machine.
        reader.allowsLocalEndpoints = endpoint.origin.isThisMachine
        try reader.requireNoError(status: response.status)
        let codeName = reader.object["device_code"] == nil && reader.object["code"] != nil ? "code" : "device_code"
        deviceCode = Secret(try reader.requiredString(codeName))
        userCode = try reader.requiredString("user_code")
        guard Self.isUserCode(userCode) else { throw reader.wrong("user_code", UserMessage("phrase.expected_typeable_code")) }
        page = try Self.page(reader, at: endpoint)
        (completePage, ignoredCompleteHost) = try Self.completePage(reader, at: endpoint, page: page)
        let known = client.dialect.device.lifetime.map { Duration.seconds($0) }
        guard let lifetime = try reader.lifetime("expires_in") ?? known else { throw reader.missing("expires_in") }
        guard lifetime > .zero else { throw reader.wrong("expires_in", UserMessage("phrase.expected_positive_seconds")) }
        self.lifetime = lifetime
        let named = try reader.lifetime("interval", rounding: .up).flatMap { $0 > .zero ? $0 : nil }
        interval = named ?? Self.standardInterval
    }

    private static func endpoint(of metadata: ProviderMetadata) throws(OAuthError) -> WebURL {
        guard let url = metadata.deviceAuthorizationEndpoint else {
            let host = metadata.issuer?.url.origin.authority ?? metadata.tokenEndpoint?.origin.authority
            throw OAuthError(.deviceAuthorization, .noEndpoint(UserMessage("phrase.device_authorization_endpoint")), host: host)
        }
        return url
    }

    /// Returns whether the text is printable ASCII without a space at either end, so without escapes or lookalike characters.
    private static func isUserCode(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) } && text.first != " " && text.last != " "
    }

    /// Returns the URL in a member. Some servers name a path of theirs.
    private static func url(_ text: String, at endpoint: WebURL) -> WebURL? {
        WebURL(text.hasPrefix("/") && !text.hasPrefix("//") ? endpoint.origin.description + text : text)
    }

    private static func page(_ reader: ResponseReader, at endpoint: WebURL) throws(OAuthError) -> WebURL {
        let older = try reader.string("verification_url")
        let text = try reader.string("verification_uri") ?? older
        guard let text else { throw reader.missing("verification_uri") }
        guard let url = url(text, at: endpoint), url.isRequestable, reader.allowsLocalEndpoints || !url.origin.isThisMachine else {
            throw OAuthError(reader.operation, .unsafeEndpoint(member: "verification_uri"), host: reader.host)
        }
        return url
    }

    private static func completePage(
        _ reader: ResponseReader, at endpoint: WebURL, page: WebURL
    ) throws(OAuthError) -> (page: WebURL?, ignoredHost: String?) {
        let older = try reader.string("verification_url_complete")
        guard let text = try reader.string("verification_uri_complete") ?? older, let url = url(text, at: endpoint) else {
            return (nil, nil)
        }
        return url.origin == page.origin ? (url, nil) : (nil, url.origin.authority)
    }
}
