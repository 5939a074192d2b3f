public import AuthModel

/// Reads responses of the token endpoint (RFC 6749 sections 5.1 and 5.2).
public enum TokenResponse {
    /// Returns the tokens of a response.
    ///
    /// - `token_type` must be the requested type, in any case (RFC 6749 section 7.1): Bearer, or DPoP if a proof was sent
    ///   (`requiresProof`), because the token would otherwise not be bound (RFC 9449 section 5).
    /// - `expires_in` may be absent: the lifetime is then unknown. Digits in a string are accepted. A negative value means that the token
    ///   has already expired. Values are limited to a century.
    /// - A missing or empty `scope` means the requested scopes (RFC 6749 section 5.1). More than 16 kB are refused.
    /// - An error in a 200 response is an error.
    ///
    /// - Parameters:
    ///   - operation: the operation, which decides what an error means.
    ///   - requested: the requested scopes, or those of the session.
    ///   - now: when the response arrived.
    public static func tokens(
        _ response: WebResponse, _ operation: OAuthError.Operation, host: String?, requested: ScopeSet, requiresProof: Bool = false,
        now: Timestamp
    ) throws(OAuthError) -> TokenSet {
        try response.requireSuccess(operation, host: host, now: now)
        let reader = try ResponseReader(response, operation, host: host)
        if let error = ServerError(reader) { throw OAuthError(operation, .refused(error, status: response.status), host: host) }
        let type = try reader.requiredString("token_type")
        guard type.asciiLowercased() == (requiresProof ? "dpop" : "bearer") else {
            throw OAuthError(operation, .tokenTypeNotUnderstood, host: host)
        }
        let access = try token(reader, "access_token")
        guard let access else { throw reader.missing("access_token") }
        let refresh = try token(reader, "refresh_token")
        let idToken = try token(reader, "id_token")
        let lifetime = try reader.lifetime("expires_in")
        let scope = try scopes(reader)
        return TokenSet(
            accessToken: access, tokenType: type, accessExpiresAt: lifetime.map { now + $0 }, refreshToken: refresh,
            refreshExpiresAt: refresh == nil ? nil : refreshLifetime(reader).map { now + $0 }, idToken: idToken,
            scopes: scope.flatMap { $0.isEmpty ? nil : $0 } ?? requested, receivedAt: now)
    }

    /// Returns the tokens after a renewal. Without a new refresh token, the old one remains valid (RFC 6749 section 6).
    ///
    /// - Parameter requested: the requested scopes; empty if none were requested.
    public static func renewed(
        _ response: WebResponse, host: String?, old: TokenSet, requested: ScopeSet = [], now: Timestamp
    ) throws(OAuthError) -> TokenSet {
        var new = try tokens(
            response, .renewal, host: host, requested: requested.isEmpty ? old.scopes : requested,
            requiresProof: old.tokenType.asciiLowercased() == "dpop", now: now)
        if new.refreshToken == nil {
            new.refreshToken = old.refreshToken
            new.refreshExpiresAt = old.refreshExpiresAt
        }
        return new
    }

    /// Returns the refresh token of a successful response that is otherwise invalid; `nil` if there is none or the response is an error.
    /// The refresh token that was sent may be used up, so only this one can save the grant.
    public static func refreshTokenOnly(_ response: WebResponse) -> Secret? {
        guard (200..<300).contains(response.status), let reader = try? ResponseReader(response, .renewal, host: nil),
            ServerError(reader) == nil
        else { return nil }
        return try? token(reader, "refresh_token")
    }

    /// Reads the granted scopes; returns `nil` if there are none. The size is limited because they are stored and shown with the session.
    private static func scopes(_ reader: ResponseReader) throws(OAuthError) -> ScopeSet? {
        guard let text = try reader.string("scope") else { return nil }
        guard text.utf8.count <= 1 << 14 else { throw reader.wrong("scope", UserMessage("phrase.list_of_scopes")) }
        return ScopeSet(text.split(separator: " ").map(String.init).filter(ScopeSet.isScope))
    }

    /// Reads a token of visible ASCII characters (RFC 6749 appendix A.12), so that it is safe in a header and on a line.
    private static func token(_ reader: ResponseReader, _ name: String) throws(OAuthError) -> Secret? {
        guard let text = try reader.string(name) else { return nil }
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            // Some servers write an empty string for a missing token.
            if text.isEmpty, name != "access_token" { return nil }
            throw reader.wrong(name, UserMessage("phrase.a_token"))
        }
        return Secret(text)
    }

    /// Reads the lifetime of the refresh token. There is no standard member; two names are common, and 0 means that it does not expire.
    /// Other values are ignored.
    private static func refreshLifetime(_ reader: ResponseReader) -> Duration? {
        for name in ["refresh_token_expires_in", "refresh_expires_in"] {
            if let lifetime = try? reader.lifetime(name), lifetime > .zero { return lifetime }
        }
        return nil
    }
}
