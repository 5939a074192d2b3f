public import AuthModel

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
