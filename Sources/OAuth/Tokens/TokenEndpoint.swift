public import AuthModel

/// Requests to the token endpoint. Each has its validator in ``TokenResponse``.
public enum TokenEndpoint {
    /// Redeems a code (RFC 6749 section 4.1.3) with the verifier of its request (RFC 7636 section 4.5), for the resources of its request
    /// (RFC 8707 section 2.2).
    ///
    /// - Parameter headers: further fields, such as a DPoP proof.
    public static func exchange(
        _ callback: ValidatedCallback, at metadata: ProviderMetadata, client: OAuthClient, headers: [(name: String, value: String)] = []
    ) throws(OAuthError) -> WebRequest {
        let pending = callback.pending
        // A code goes to the server that gave it, and nowhere else (RFC 9700 section 4.4).
        guard metadata.issuer == pending.issuer, metadata.authorizationEndpoint == pending.authorizationEndpoint,
            client.id == pending.clientID
        else { throw OAuthError(.codeExchange, .mismatch(what: "provider"), host: metadata.tokenEndpoint?.origin.authority) }
        let fields = [
            ("grant_type", "authorization_code"), ("code", callback.code.reveal()), ("redirect_uri", pending.redirectURI),
            ("code_verifier", pending.verifier.reveal()),
        ]
        return client.form(try url(metadata, .codeExchange), fields + pending.resources.map { ("resource", $0) }, headers: headers)
    }

    /// Renews with a refresh token (RFC 6749 section 6).
    ///
    /// - Parameters:
    ///   - scopes: those of the new access token, where it is to have fewer than the grant; empty: none are sent, and it has what the grant
    ///     has.
    ///   - resources: what the new access token is for, where the session is for some (RFC 8707 section 2.2).
    ///   - headers: further fields, such as a DPoP proof.
    public static func renew(
        _ refreshToken: Secret, scopes: ScopeSet = [], resources: [String] = [], at metadata: ProviderMetadata, client: OAuthClient,
        headers: [(name: String, value: String)] = []
    ) throws(OAuthError) -> WebRequest {
        var fields = [("grant_type", "refresh_token"), ("refresh_token", refreshToken.reveal())]
        if !scopes.isEmpty { fields.append(("scope", scopes.wire)) }
        fields += resources.map { ("resource", $0) }
        return client.form(try url(metadata, .renewal), fields, headers: headers)
    }

    static func url(_ metadata: ProviderMetadata, _ operation: OAuthError.Operation) throws(OAuthError) -> WebURL {
        guard let url = metadata.tokenEndpoint else {
            throw OAuthError(operation, .noEndpoint("token endpoint"), host: metadata.issuer?.url.origin.authority)
        }
        return url
    }
}
