public import AuthModel

/// Pushed authorization requests (RFC 9126): the parameters go to the provider directly, and the browser carries only a reference to them.
public enum PushedAuthorization {
    /// A request the provider has taken. It is good for one use, within its lifetime (section 2.2).
    public struct Reference: Equatable, Sendable {
        /// Where the person's browser is to be sent: `client_id` and `request_uri`, and what OpenID Connect Core
        /// section 6.1 wants repeated: `response_type` and `scope`.
        public let url: WebURL
        /// How long the provider keeps the request, from the moment its answer came.
        public let lifetime: Duration
    }

    /// Pushes a prepared request (section 2.1), with the client authentication of the token endpoint.
    ///
    /// - Parameter headers: further fields, such as a DPoP proof, which then binds the code to its key (RFC 9449 section 10.1).
    public static func request(
        _ prepared: AuthorizationRequest.Prepared, at metadata: ProviderMetadata, client: OAuthClient,
        headers: [(name: String, value: String)] = []
    ) throws(OAuthError) -> WebRequest {
        let pending = prepared.pending
        guard let url = metadata.pushedAuthorizationEndpoint else {
            throw OAuthError(
                .pushedAuthorization, .noEndpoint("pushed authorization endpoint"), host: pending.authorizationEndpoint.origin.authority)
        }
        guard metadata.issuer == pending.issuer, metadata.authorizationEndpoint == pending.authorizationEndpoint,
            client.id == pending.clientID
        else { throw OAuthError(.pushedAuthorization, .mismatch(what: "provider"), host: url.origin.authority) }
        // client_id is a parameter of every authorization request, also where Basic says it already; it stands there once.
        let authenticating = client.credential.parts(clientID: client.id)
        let named = Set(authenticating.fields.map(\.0))
        let fields = prepared.parameters.filter { !named.contains($0.name) }.map { ($0.name, $0.value) }
        return .form(url, fields + authenticating.fields, headers: authenticating.headers + headers)
    }

    /// Reads the answer (section 2.2): 201, or 200 from servers that do not know better, with `request_uri` and `expires_in`.
    public static func reference(
        _ response: WebResponse, for prepared: AuthorizationRequest.Prepared, host: String?, now: Timestamp
    ) throws(OAuthError) -> Reference {
        try response.requireSuccess(.pushedAuthorization, host: host, now: now, success: [200, 201])
        let reader = try AnswerReader(response, .pushedAuthorization, host: host)
        if let error = ServerError(reader) {
            throw OAuthError(.pushedAuthorization, .refused(error, status: response.status), host: host)
        }
        let reference = try reader.requiredString("request_uri")
        guard isReference(reference) else { throw reader.wrong("request_uri", "a URI") }
        guard let lifetime = try reader.lifetime("expires_in") else { throw reader.missing("expires_in") }
        guard lifetime > .zero else { throw reader.wrong("expires_in", "a number of seconds to come") }
        let pending = prepared.pending
        // RFC 9126 does without the last two, and providers that read the URL by OpenID Connect Core do not. They say the same as the
        // request.
        let repeated = prepared.parameters.filter { ["response_type", "scope"].contains($0.name) }.map { ($0.name, $0.value) }
        let fields = [("client_id", pending.clientID), ("request_uri", reference)] + repeated
        guard let url = pending.authorizationEndpoint.appending(query: fields) else {
            throw reader.wrong("request_uri", "short enough for a URL")
        }
        return Reference(url: url, lifetime: lifetime)
    }

    /// Whether requests are to be pushed: where the provider offers it, unless that is switched off; always where either side requires it.
    ///
    /// - Throws: ``OAuthError`` where one side requires what the other does not have or want (section 5).
    public static func isUsed(_ wish: PushedRequestMode, at metadata: ProviderMetadata) throws(OAuthError) -> Bool {
        let host = metadata.issuer?.url.origin.authority ?? metadata.authorizationEndpoint?.origin.authority
        let isOffered = metadata.pushedAuthorizationEndpoint != nil
        switch wish {
        case .off where metadata.requiresPushedRequests:
            throw OAuthError(.pushedAuthorization, .misconfigured("the provider takes pushed requests only, and par is off"), host: host)
        case .off: return false
        case .auto where !metadata.requiresPushedRequests: return isOffered
        case .auto, .required:
            guard isOffered else { throw OAuthError(.pushedAuthorization, .noEndpoint("pushed authorization endpoint"), host: host) }
            return true
        }
    }

    /// An absolute URI of RFC 3986's characters, short enough to travel on (RFC 9101 section 5.2 says 512).
    private static func isReference(_ text: String) -> Bool {
        guard text.utf8.count <= 2048, let colon = text.firstIndex(of: ":"), let first = text.utf8.first else { return false }
        let scheme = text[..<colon].utf8
        let rest = text[text.index(after: colon)...].utf8
        func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) }
        func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
        return isLetter(first) && scheme.allSatisfy { isLetter($0) || isDigit($0) || "+-.".utf8.contains($0) } && !rest.isEmpty
            && rest.allSatisfy { isLetter($0) || isDigit($0) || "-._~:/?[]@!$&'()*+,;=%".utf8.contains($0) }
    }
}
