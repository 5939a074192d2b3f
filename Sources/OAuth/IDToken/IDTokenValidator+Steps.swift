internal import AuthModel

extension IDTokenValidator {
    /// The `typ` values of ID tokens. Other kinds of JWT have other values (RFC 8725 section 3.11).
    private static let types: Set<String> = ["jwt", "application/jwt", "id_token+jwt"]

    func check(_ token: Secret?, accessToken: Secret?, keys: KeySet, now: Timestamp) throws(TokenError) -> IDToken {
        guard let token, !token.isEmpty else { throw .absent }
        // Step 1.
        let jws = try JSONWebSignature(compact: token.reveal())
        if let type = jws.type, !Self.types.contains(type.asciiLowercased()) { throw .wrongTokenType }
        // Steps 6 to 8. The signature is verified first, so that all later checks read authenticated claims.
        let verified = try jws.verified(with: keys, allowed: algorithms)
        let claims = ClaimReader(verified.claims)
        let issuer = try checkIssuer(claims, keyIssuer: verified.keyIssuer)
        try checkAudience(claims)
        let times = try checkTimes(claims, now: now)
        try checkNonce(claims)
        // Steps 12 and 13.
        let authenticatedAt = try claims.authentication(contextClasses: requiredContextClasses, maxAge: maxAge, now: now)
        try checkAccessTokenHash(claims, accessToken, verified.algorithm)
        // Detects logout tokens without `typ` (Back-Channel Logout section 2.4).
        if claims.object["events"] != nil { throw .wrongTokenType }
        return IDToken(
            issuer: issuer, subject: try claims.subject(), claims: verified.claims, issuedAt: times.issued, expiresAt: times.end,
            authenticatedAt: authenticatedAt, algorithm: verified.algorithm, keyID: verified.keyID)
    }

    /// Step 2.
    private func checkIssuer(_ claims: ClaimReader, keyIssuer: String?) throws(TokenError) -> String {
        let issuer = try claims.requiredText("iss")
        let tenant = issuerRule.pattern == nil ? nil : try claims.text(IssuerPattern.claim)
        guard issuerRule.admits(token: issuer, tenant: tenant) else { throw .wrongIssuer }
        if let keyIssuer, !issuerRule.admits(key: keyIssuer, of: issuer) { throw .wrongIssuer }
        return issuer
    }

    /// Steps 3 to 5.
    private func checkAudience(_ claims: ClaimReader) throws(TokenError) {
        let audience = try claims.audience()
        guard audience.contains(where: { $0.hasSameBytes(as: clientID) }) else { throw .wrongAudience }
        let trusted = [clientID] + trustedAudiences
        guard audience.allSatisfy({ name in trusted.contains { $0.hasSameBytes(as: name) } }) else { throw .wrongAudience }
        if let party = try claims.text("azp"), !party.hasSameBytes(as: clientID) { throw .wrongAuthorizedParty }
    }

    /// Steps 9 and 10.
    private func checkTimes(_ claims: ClaimReader, now: Timestamp) throws(TokenError) -> (issued: Timestamp, end: Timestamp) {
        let end = try claims.requiredTime("exp")
        let issued = try claims.requiredTime("iat")
        guard now < end + Self.clockTolerance else { throw .expired }
        if let start = try claims.time("nbf"), start > now + Self.clockTolerance { throw .notYetValid }
        guard issued <= now + Self.issueWindow else { throw .notYetValid }
        guard issued >= now - Self.issueWindow else { throw .stale }
        guard end > issued else { throw .expired }
        return (issued, end)
    }

    /// Step 11, compared in constant time.
    private func checkNonce(_ claims: ClaimReader) throws(TokenError) {
        let found = try claims.text("nonce")
        guard let nonce else { return }
        guard let found else { throw .missingClaim("nonce") }
        guard Secret(found) == nonce else { throw .wrongNonce }
    }

    /// Checks `at_hash` (OpenID Connect Core section 3.1.3.8): the left half of the access token's hash.
    private func checkAccessTokenHash(_ claims: ClaimReader, _ accessToken: Secret?, _ algorithm: SignatureAlgorithm) throws(TokenError) {
        guard let found = try claims.text("at_hash"), let accessToken else { return }
        let digest = accessToken.withBytes { algorithm.hash.digest(Array($0)) }
        guard found.hasSameBytes(as: Base64URL.encode(digest.prefix(digest.count / 2))) else { throw .wrongAccessTokenHash }
    }
}
