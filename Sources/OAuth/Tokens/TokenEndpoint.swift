public import AuthModel

/// Builds requests to the token endpoint. ``TokenResponse`` validates the responses.
public enum TokenEndpoint {
    /// Builds the exchange of a code (RFC 6749 section 4.1.3) with its code verifier (RFC 7636 section 4.5) and the resources of its
    /// request (RFC 8707 section 2.2).
    ///
    /// - Parameter headers: additional header fields, such as a DPoP proof.
    public static func exchange(
        _ callback: ValidatedCallback, at metadata: ProviderMetadata, client: OAuthClient, headers: [(name: String, value: String)] = []
    ) throws(OAuthError) -> WebRequest {
        let pending = callback.pending
        // A code must be sent only to the server that issued it (RFC 9700 section 4.4).
        guard metadata.issuer == pending.issuer, metadata.authorizationEndpoint == pending.authorizationEndpoint,
            client.id == pending.clientID
        else {
            throw OAuthError(.codeExchange, .mismatch(what: UserMessage("phrase.provider")), host: metadata.tokenEndpoint?.origin.authority)
        }
        let fields = [
            ("grant_type", "authorization_code"), ("code", callback.code.reveal()), ("redirect_uri", pending.redirectURI),
        ]
        let verifier = pending.usesProofKey ? [("code_verifier", pending.verifier.reveal())] : []
        let resources = pending.resources.map { ("resource", $0) }
        return client.tokenRequest(try url(metadata, .codeExchange), fields + verifier + resources, headers: headers)
    }

    /// Builds a renewal with a refresh token (RFC 6749 section 6).
    ///
    /// - Parameters:
    ///   - scopes: the scopes of the new access token, if fewer than those of the grant; if empty, none are sent, and the token has all
    ///     scopes of the grant.
    ///   - resources: the resources of the new access token, if the session has any (RFC 8707 section 2.2).
    ///   - headers: additional header fields, such as a DPoP proof.
    public static func renew(
        _ refreshToken: Secret, scopes: ScopeSet = [], resources: [String] = [], at metadata: ProviderMetadata, client: OAuthClient,
        headers: [(name: String, value: String)] = []
    ) throws(OAuthError) -> WebRequest {
        var fields = [("grant_type", "refresh_token"), ("refresh_token", refreshToken.reveal())]
        fields += client.scopeFields(scopes)
        fields += resources.map { ("resource", $0) }
        return client.tokenRequest(try url(metadata, .renewal), fields, headers: headers)
    }

    static func url(_ metadata: ProviderMetadata, _ operation: OAuthError.Operation) throws(OAuthError) -> WebURL {
        guard let url = metadata.tokenEndpoint else {
            throw OAuthError(operation, .noEndpoint(UserMessage("phrase.token_endpoint")), host: metadata.issuer?.url.origin.authority)
        }
        return url
    }
}
