public import AuthModel

/// Token revocation (RFC 7009).
public enum Revocation {
    /// The type of the token (section 2.1).
    public enum TokenKind: String, Sendable {
        case refresh = "refresh_token"
        case access = "access_token"
    }

    /// Builds the revocation request. Revoke the refresh token first, then the access token.
    public static func request(
        _ token: Secret, _ kind: TokenKind, at metadata: ProviderMetadata, client: OAuthClient
    ) throws(OAuthError) -> WebRequest {
        guard let url = metadata.revocationEndpoint else {
            throw OAuthError(
                .revocation, .noEndpoint(UserMessage("phrase.revocation_endpoint")), host: metadata.issuer?.url.origin.authority)
        }
        return client.form(url, [("token", token.reveal()), ("token_type_hint", kind.rawValue)])
    }

    /// Validates the response. Success has any body, and includes tokens that the server does not know (section 2.2).
    ///
    /// - Throws: ``OAuthError``. After a transient one the token may still be valid; retry the revocation (section 2.2.1).
    public static func validate(_ response: WebResponse, host: String?, now: Timestamp) throws(OAuthError) {
        try response.requireSuccess(.revocation, host: host, now: now, success: [200, 202, 204])
    }
}
