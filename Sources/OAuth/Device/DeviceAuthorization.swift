public import AuthModel

/// A device authorization (RFC 8628 section 3.2): the code that the person types at the provider's page, and the one we ask for tokens
/// with.
///
/// What is in it may be shown as it is: the page is https (or a loopback literal) and the code has only characters that can be typed.
/// Only the device code may not; it is a secret and does not leave this library but in a request to the provider that gave it.
public struct DeviceAuthorization: Equatable, Sendable {
    /// The issuer that was asked; `nil` at a provider without one.
    public let issuer: Issuer?
    /// Where it was asked.
    public let endpoint: WebURL
    public let clientID: String
    /// The scopes that were asked.
    public let scopes: ScopeSet
    /// What the tokens were asked to be for (RFC 8707).
    public let resources: [String]
    let deviceCode: Secret
    /// What the person types, as the provider spelled it: 1 to 64 characters of printable ASCII.
    public let userCode: String
    /// Where the person types it. It is shown with the code also where ``completePage`` is (section 3.3.1).
    public let page: WebURL
    /// The same page with the code filled in, for a QR code; never opened unasked.
    public let completePage: WebURL?
    /// The host of a complete page that was ignored, as it is on another origin than ``page``; for telling the person.
    public let ignoredCompleteHost: String?
    /// How long both codes are good, from the moment the answer came.
    public let lifetime: Duration
    /// What must at least pass between two polls.
    public let interval: Duration

    /// How long to wait between polls where the provider does not say (section 3.2).
    public static let standardInterval: Duration = .seconds(5)

    /// The request for a device authorization (section 3.1).
    ///
    /// - Parameters:
    ///   - resources: what the tokens are for (RFC 8707).
    ///   - acrValues: the kinds of sign-in of which one is wanted (RFC 9470 section 4).
    ///   - maxAge: seconds since the person last showed who they are, at most.
    ///   - uiLocales: the languages that the page is wanted in.
    ///   - extraParameters: the provider's own. Those of OAuth itself cannot be set here.
    ///   - headers: further fields.
    public static func request(
        scopes: ScopeSet, resources: [String] = [], acrValues: String? = nil, maxAge: Int? = nil, uiLocales: String? = nil,
        extraParameters: [String: String] = [:], at metadata: ProviderMetadata, client: OAuthClient,
        headers: [(name: String, value: String)] = []
    ) throws(OAuthError) -> WebRequest {
        let url = try endpoint(of: metadata)
        let host = url.origin.authority
        if client.id.isEmpty { throw OAuthError(.deviceAuthorization, .misconfigured("client_id is empty"), host: host) }
        guard scopes.values.allSatisfy(ScopeSet.isScope) else {
            throw OAuthError(.deviceAuthorization, .misconfigured("a scope has a character that scopes cannot have"), host: host)
        }
        if let own = extraParameters.keys.sorted().first(where: AuthorizationRequest.ownParameters.contains) {
            throw OAuthError(.deviceAuthorization, .misconfigured("extra_params may not set \(own)"), host: host)
        }
        var fields: [(String, String)] = scopes.isEmpty ? [] : [("scope", scopes.wire)]
        fields += resources.map { ("resource", $0) }
        let optional = [("acr_values", acrValues), ("max_age", maxAge.map { String($0) }), ("ui_locales", uiLocales)]
        for case (let name, let value?) in optional where !value.isEmpty { fields.append((name, value)) }
        let given = Set(fields.map(\.0))
        fields += extraParameters.filter { !given.contains($0.key) }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        return client.form(url, fields, headers: headers)
    }

    /// Reads the answer (section 3.2).
    ///
    /// - `verification_uri` that is not https, or http on a loopback literal, is refused; so is a `user_code` that cannot be shown and
    ///   typed. `verification_url`, the name of the time before the RFC, is taken where the other is absent.
    /// - `verification_uri_complete` is ignored unless it is of the same origin: what the person checks must be where the person goes.
    /// - `interval` is rounded up, and is at least a second; one that is not above zero says nothing, which means
    ///   five seconds.
    ///
    /// - Parameters:
    ///   - scopes: those that were asked.
    ///   - resources: what the tokens were asked to be for; the token request repeats it.
    ///   - now: the time, for a `Retry-After` that is a date.
    public init(
        _ response: WebResponse, from metadata: ProviderMetadata, client: OAuthClient, scopes: ScopeSet, resources: [String] = [],
        now: Timestamp
    ) throws(OAuthError) {
        endpoint = try Self.endpoint(of: metadata)
        issuer = metadata.issuer
        clientID = client.id
        self.scopes = scopes
        self.resources = resources
        let host = endpoint.origin.authority
        try response.requireSuccess(.deviceAuthorization, host: host, now: now)
        var reader = try AnswerReader(response, .deviceAuthorization, host: host)
        // A stranger does not send the browser to what answers only on this machine.
        reader.mayNameThisMachine = endpoint.origin.isThisMachine
        if let error = ServerError(reader) {
            throw OAuthError(.deviceAuthorization, .refused(error, status: response.status), host: host)
        }
        deviceCode = Secret(try reader.requiredString("device_code"))
        userCode = try reader.requiredString("user_code")
        guard Self.isUserCode(userCode) else { throw reader.wrong("user_code", "a code that can be typed") }
        page = try Self.page(reader)
        (completePage, ignoredCompleteHost) = try Self.completePage(reader, page: page)
        guard let lifetime = try reader.lifetime("expires_in") else { throw reader.missing("expires_in") }
        guard lifetime > .zero else { throw reader.wrong("expires_in", "a number of seconds to come") }
        self.lifetime = lifetime
        let named = try reader.lifetime("interval", rounding: .up).flatMap { $0 > .zero ? $0 : nil }
        interval = named ?? Self.standardInterval
    }

    private static func endpoint(of metadata: ProviderMetadata) throws(OAuthError) -> WebURL {
        guard let url = metadata.deviceAuthorizationEndpoint else {
            let host = metadata.issuer?.url.origin.authority ?? metadata.tokenEndpoint?.origin.authority
            throw OAuthError(.deviceAuthorization, .noEndpoint("device authorization endpoint"), host: host)
        }
        return url
    }

    /// Printable ASCII, not blank at either end: no escape, no look-alike of another script.
    private static func isUserCode(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) } && text.first != " " && text.last != " "
    }

    private static func page(_ reader: AnswerReader) throws(OAuthError) -> WebURL {
        let older = try reader.string("verification_url")
        let text = try reader.string("verification_uri") ?? older
        guard let text else { throw reader.missing("verification_uri") }
        guard let url = WebURL(text), url.isProtected, reader.mayNameThisMachine || !url.origin.isThisMachine else {
            throw OAuthError(reader.operation, .unsafeEndpoint(member: "verification_uri"), host: reader.host)
        }
        return url
    }

    private static func completePage(_ reader: AnswerReader, page: WebURL) throws(OAuthError) -> (page: WebURL?, ignoredHost: String?) {
        let older = try reader.string("verification_url_complete")
        guard let text = try reader.string("verification_uri_complete") ?? older, let url = WebURL(text) else { return (nil, nil) }
        return url.origin == page.origin ? (url, nil) : (nil, url.origin.authority)
    }
}
