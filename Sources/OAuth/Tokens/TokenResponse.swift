public import AuthModel

/// Reads answers of the token endpoint (RFC 6749 sections 5.1 and 5.2).
public enum TokenResponse {
    /// The tokens of an answer, or why there are none.
    ///
    /// - `token_type` must be there and be the type that was asked for, in any case (RFC 6749 section 7.1): Bearer, or DPoP where a proof
    ///   was sent (`requiresProof`), as the token would else be bound to nothing (RFC 9449 section 5).
    /// - `expires_in` may be absent: the lifetime is then unknown. Digits in a string are taken; a negative one means "at once", and
    ///   nothing counts for more than a century.
    /// - An absent or empty `scope` means the scopes that were asked (RFC 6749 section 5.1). One of more than 16 kB is refused.
    /// - An error inside a 200 is an error.
    ///
    /// - Parameters:
    ///   - operation: what was asked for: it decides what an error means.
    ///   - requested: the scopes that were asked, or that the session has.
    ///   - now: when the answer came.
    public static func tokens(
        _ response: WebResponse, _ operation: OAuthError.Operation, host: String?, requested: ScopeSet, requiresProof: Bool = false,
        now: Timestamp
    ) throws(OAuthError) -> TokenSet {
        try response.requireSuccess(operation, host: host, now: now)
        let reader = try AnswerReader(response, operation, host: host)
        if let error = ServerError(reader) { throw OAuthError(operation, .refused(error, status: response.status), host: host) }
        let type = try reader.requiredString("token_type")
        guard type.lowercased() == (requiresProof ? "dpop" : "bearer") else {
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

    /// The tokens after a renewal: an answer without a refresh token keeps the old one (RFC 6749 section 6).
    ///
    /// - Parameter requested: the scopes that were asked; empty where none were.
    public static func renewed(
        _ response: WebResponse, host: String?, old: TokenSet, requested: ScopeSet = [], now: Timestamp
    ) throws(OAuthError) -> TokenSet {
        var new = try tokens(
            response, .renewal, host: host, requested: requested.isEmpty ? old.scopes : requested,
            requiresProof: old.tokenType.lowercased() == "dpop", now: now)
        if new.refreshToken == nil {
            new.refreshToken = old.refreshToken
            new.refreshExpiresAt = old.refreshExpiresAt
        }
        return new
    }

    /// The refresh token in a success that cannot be taken otherwise; `nil` where there is none, and where the answer is an error after
    /// all. The one that was sent for it may be spent, so this is all that is left of the grant.
    public static func refreshTokenAlone(_ response: WebResponse) -> Secret? {
        guard (200..<300).contains(response.status), let reader = try? AnswerReader(response, .renewal, host: nil),
            ServerError(reader) == nil
        else { return nil }
        return try? token(reader, "refresh_token")
    }

    /// The scopes that were given; nothing where the answer does not say. They are kept and shown with the session for as long as it lives.
    private static func scopes(_ reader: AnswerReader) throws(OAuthError) -> ScopeSet? {
        guard let text = try reader.string("scope") else { return nil }
        guard text.utf8.count <= 1 << 14 else { throw reader.wrong("scope", "a list of scopes that anybody could use") }
        return ScopeSet(text.split(separator: " ").map(String.init).filter(ScopeSet.isScope))
    }

    /// A token of visible ASCII characters (RFC 6749 appendix A.12), so that it can stand in a header and on a line.
    private static func token(_ reader: AnswerReader, _ name: String) throws(OAuthError) -> Secret? {
        guard let text = try reader.string(name) else { return nil }
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            // Some servers write an empty string where they have none.
            if text.isEmpty, name != "access_token" { return nil }
            throw reader.wrong(name, "a token")
        }
        return Secret(text)
    }

    /// No standard has a lifetime for refresh tokens; two spellings are common, in which 0 means "no end". Anything else says nothing.
    private static func refreshLifetime(_ reader: AnswerReader) -> Duration? {
        for name in ["refresh_token_expires_in", "refresh_expires_in"] {
            if let lifetime = try? reader.lifetime(name), lifetime > .zero { return lifetime }
        }
        return nil
    }
}
