public import AuthModel

/// Token introspection (RFC 7662).
public enum Introspection {
    /// The response of the provider.
    public struct Answer: Equatable, Sendable {
        /// Whether the token is active, as far as this client may know.
        public let isActive: Bool
        /// The complete response, as an object.
        public let claims: JSONValue
    }

    /// Builds the introspection request.
    ///
    /// - Parameter kind: the type of the token, if known.
    public static func request(
        _ token: Secret, _ kind: Revocation.TokenKind?, at metadata: ProviderMetadata, client: OAuthClient
    ) throws(OAuthError) -> WebRequest {
        guard let url = metadata.introspectionEndpoint else {
            throw OAuthError(
                .introspection, .noEndpoint(UserMessage("phrase.introspection_endpoint")), host: metadata.issuer?.url.origin.authority)
        }
        return client.form(url, [("token", token.reveal())] + (kind.map { [("token_type_hint", $0.rawValue)] } ?? []))
    }

    /// Reads the response.
    public static func answer(_ response: WebResponse, host: String?, now: Timestamp) throws(OAuthError) -> Answer {
        try response.requireSuccess(.introspection, host: host, now: now)
        let reader = try ResponseReader(response, .introspection, host: host)
        guard let isActive = try reader.bool("active") else { throw reader.missing("active") }
        return Answer(isActive: isActive, claims: reader.object)
    }
}
