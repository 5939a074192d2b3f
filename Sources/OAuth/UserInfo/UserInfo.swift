public import AuthModel

/// The userinfo endpoint (OpenID Connect Core section 5.3).
public enum UserInfo {
    /// Asks with the access token in the header, never in the URL or body (section 5.3.1, RFC 6750 section 2).
    ///
    /// - Parameter headers: further fields, such as a DPoP proof.
    public static func request(
        _ tokens: TokenSet, at metadata: ProviderMetadata, headers: [(name: String, value: String)] = []
    ) throws(OAuthError) -> WebRequest {
        guard let url = metadata.userInfoEndpoint else {
            throw OAuthError(.userInfo, .noEndpoint("userinfo endpoint"), host: metadata.issuer?.url.origin.authority)
        }
        let scheme = tokens.tokenType.lowercased() == "dpop" ? "DPoP" : "Bearer"
        return WebRequest(
            method: .get, url: url,
            headers: [("Authorization", "\(scheme) \(tokens.accessToken.reveal())"), ("Accept", "application/json")] + headers)
    }

    /// The claims of an answer that is a JSON object. Claims of other issuers in it (aggregated, distributed) stay data: they are neither
    /// merged nor fetched.
    ///
    /// - Parameters:
    ///   - subject: whom the answer must be about (section 5.3.2); `nil` where nobody has been identified before, as with plain OAuth 2.
    ///     A `sub` is needed then only when `requiresSubject`.
    ///   - requiresSubject: whether an answer without `sub` is refused. A given `subject` always requires it.
    public static func claims(
        _ response: WebResponse, subject: String?, requiresSubject: Bool = true, host: String?, now: Timestamp
    ) throws(OAuthError) -> JSONValue {
        try response.requireSuccess(.userInfo, host: host, now: now)
        let reader = try AnswerReader(response, .userInfo, host: host)
        try check(reader.object, subject: subject, requiresSubject: requiresSubject, host: host)
        return reader.object
    }

    /// Whether the answer is a signed JWT (section 5.3.4), for ``signedClaims(_:subject:validator:keys:host:now:)``.
    public static func isSigned(_ response: WebResponse) -> Bool {
        let type = response.header("Content-Type")?.split(separator: ";").first?.trimmingBlanks().lowercased()
        return response.status == 200 && type == "application/jwt"
    }

    /// The claims of a signed answer: verified with the issuer's keys, of that issuer and for us where it says so, not expired where it
    /// says when, and about `subject`.
    ///
    /// - Parameter validator: the one that judged the ID token: issuer, client and algorithms are its own, the last replaced by what the
    ///   provider announces for userinfo, where it does.
    public static func signedClaims(
        _ response: WebResponse, subject: String, validator: IDTokenValidator, announcedAlgorithms: [String]?, keys: KeySet, host: String?,
        now: Timestamp
    ) throws(OAuthError) -> JSONValue {
        try response.requireSuccess(.userInfo, host: host, now: now)
        let claims: JSONValue
        do throws(TokenError) {
            let text = String(validating: response.body, as: UTF8.self) ?? ""
            let jws = try JSONWebSignature(compact: text.trimmingBlanks())
            if let type = jws.type, !["jwt", "application/jwt", "userinfo+jwt"].contains(type.lowercased()) { throw .otherKind }
            let allowed = announcedAlgorithms.map { SignatureAlgorithm.accepted(from: $0) } ?? validator.algorithms
            claims = try jws.verified(with: keys, allowed: allowed).claims
            let reader = ClaimReader(claims)
            if let issuer = try reader.text("iss"), !issuer.hasSameBytes(as: validator.issuer) { throw .foreignIssuer }
            let audience = claims["aud"] == nil ? nil : try reader.audience()
            if let audience, !audience.contains(where: { $0.hasSameBytes(as: validator.clientID) }) { throw .foreignAudience }
            if let end = try reader.time("exp"), now >= end + IDTokenValidator.clockTolerance { throw .expired }
        } catch {
            throw OAuthError(.userInfo, .token(error), host: host)
        }
        try check(claims, subject: subject, requiresSubject: true, host: host)
        return claims
    }

    private static func check(_ claims: JSONValue, subject: String?, requiresSubject: Bool, host: String?) throws(OAuthError) {
        let found: String?
        do throws(TokenError) {
            if claims["sub"] == nil {
                if subject != nil || requiresSubject { throw .missingClaim("sub") }
                return
            }
            found = try ClaimReader(claims).subject()
        } catch {
            throw OAuthError(.userInfo, .token(error), host: host)
        }
        if let subject, found?.hasSameBytes(as: subject) != true {
            throw OAuthError(.userInfo, .token(.otherSubject), host: host)
        }
    }
}
