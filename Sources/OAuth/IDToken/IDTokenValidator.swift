public import AuthModel

/// Validates ID tokens as defined in OpenID Connect Core section 3.1.3.7. No step can be turned off. Steps 11 to 13 compare the
/// token with the request.
///
/// 1. Encrypted tokens are refused, because this client registers no encryption keys.
/// 2. `iss` is the issuer, byte for byte; for a provider with tenants, the issuer of the tenant in `tid` (``IssuerRule``).
/// 3. `aud` contains this client and no untrusted audience.
/// 4., 5. `azp`, if present, is this client.
/// 6. The signature is verified with the issuer's keys, in the code flow too.
/// 7. `alg` is one that the provider announced; RS256 if it announced none.
/// 8. MACs are refused.
/// 9. `exp` is in the future, and `nbf` is not.
/// 10. `iat` is present and close to the current time.
/// 11. `nonce` is the one that was sent.
/// 12. `acr` is one of the required values, if any.
/// 13. `auth_time` satisfies `max_age`, if that was sent.
///
/// In addition: `typ` is that of an ID token, `at_hash` is correct if present (section 3.1.3.8), and `sub` is valid (section 2).
public struct IDTokenValidator: Equatable, Sendable {
    /// The expected issuer, or issuers.
    public var issuerRule: IssuerRule
    /// The identifier of this client.
    public var clientID: String
    /// The accepted signature algorithms.
    public var algorithms: Set<SignatureAlgorithm>
    /// The audiences that are permitted in addition to this client (step 3). Default: none.
    public var trustedAudiences: Set<String> = []
    /// The nonce that was sent; `nil` for flows without one (device, refresh).
    public var nonce: Secret?
    /// The `max_age` that was sent, in seconds.
    public var maxAge: Int?
    /// The accepted authentication context classes; empty for any. For a step-up that a resource requires (RFC 9470).
    public var requiredContextClasses: [String] = []

    /// The accepted clock difference for `exp` and `nbf`.
    public static let clockTolerance: Duration = .seconds(120)
    /// The accepted difference between `iat` of a newly issued token and this machine's clock, in either direction.
    public static let issueWindow: Duration = .seconds(600)

    /// Creates a validator. Without announced algorithms, it accepts only RS256.
    public init(issuer: Issuer, clientID: String, announcedAlgorithms: [String]?, nonce: Secret? = nil, maxAge: Int? = nil) {
        self.init(IssuerRule(issuer), clientID: clientID, announcedAlgorithms: announcedAlgorithms, nonce: nonce, maxAge: maxAge)
    }

    /// Creates a validator for one or more issuers. Without announced algorithms, it accepts only RS256.
    public init(_ rule: IssuerRule, clientID: String, announcedAlgorithms: [String]?, nonce: Secret? = nil, maxAge: Int? = nil) {
        issuerRule = rule
        self.clientID = clientID
        algorithms = SignatureAlgorithm.accepted(from: announcedAlgorithms)
        self.nonce = nonce
        self.maxAge = maxAge
    }

    /// Creates a validator for the response to an authorization request; returns `nil` if the provider has no issuer.
    public init?(_ pending: PendingAuthorization, metadata: ProviderMetadata) {
        guard let rule = pending.issuerRule else { return nil }
        self.init(
            rule, clientID: pending.clientID, announcedAlgorithms: metadata.idTokenAlgorithms, nonce: pending.nonce,
            maxAge: pending.maxAge)
    }

    /// Validates the ID token of a sign-in.
    ///
    /// - Parameters:
    ///   - accessToken: the access token of the same response, for `at_hash`.
    ///   - now: the current time.
    /// - Throws: ``OAuthError``. If its ``OAuthError/needsKeyRefetch`` is true, fetch the keys again and retry once.
    public func validate(_ token: Secret?, accessToken: Secret?, keys: KeySet, now: Timestamp) throws(OAuthError) -> IDToken {
        do throws(TokenError) {
            return try check(token, accessToken: accessToken, keys: keys, now: now)
        } catch {
            throw failure(error, keys)
        }
    }

    /// Validates the ID token of a renewal (OpenID Connect Core section 12.2). It must have a new `iat` and the same `iss`, `sub` and
    /// `azp`. `auth_time` must be the same if both tokens have it. A `nonce` must equal that of the old token.
    ///
    /// - Parameter old: the claims of the session's ID token. They must include `iss` and `sub`; these suffice if the session had no ID
    ///   token and identified its account in another way.
    public func validateRenewed(
        _ token: Secret, accessToken: Secret?, old: JSONValue, keys: KeySet, now: Timestamp
    ) throws(OAuthError) -> IDToken {
        do throws(TokenError) {
            var validator = self
            validator.nonce = nil
            validator.maxAge = nil
            let new = try validator.check(token, accessToken: accessToken, keys: keys, now: now)
            guard let issuer = old["iss"]?.string, issuerRule.normalized(issuer).hasSameBytes(as: new.issuer) else { throw .wrongIssuer }
            guard let subject = old["sub"]?.string, subject.hasSameBytes(as: new.subject) else { throw .wrongSubject }
            if let nonce = new.claims["nonce"], nonce != .null, nonce != "", nonce != old["nonce"] { throw .wrongNonce }
            if let time = new.claims["auth_time"]?.integer, let before = old["auth_time"]?.integer, time != before {
                throw .changedAuthenticationTime
            }
            return new
        } catch {
            throw failure(error, keys)
        }
    }

    /// Names the host of the keys if they are the cause.
    private func failure(_ tokenError: TokenError, _ keys: KeySet) -> OAuthError {
        let issuerHost = issuerRule.origin?.authority
        return switch tokenError {
        case .unknownKey, .unusableKey: OAuthError(.idToken, .token(tokenError), host: keys.host ?? issuerHost)
        default: OAuthError(.idToken, .token(tokenError), host: issuerHost)
        }
    }

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
        let issuer = issuerRule.normalized(try claims.requiredText("iss"))
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
        let others = audience.filter { name in !trusted.contains { $0.hasSameBytes(as: name) } }
        guard others.isEmpty else { throw .untrustedAudiences(others) }
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

/// A validated ID token (OpenID Connect Core section 2). Only ``IDTokenValidator`` creates it.
public struct IDToken: Equatable, Sendable {
    /// The issuer (`iss`).
    public let issuer: String
    /// The account identifier (`sub`).
    public let subject: String
    /// All claims, known and unknown, as an object.
    public let claims: JSONValue
    /// When the token was issued (`iat`).
    public let issuedAt: Timestamp
    /// When the token expires (`exp`).
    public let expiresAt: Timestamp
    /// When the user last authenticated (`auth_time`); `nil` if the provider does not say.
    public let authenticatedAt: Timestamp?
    /// The algorithm of the verified signature.
    public let algorithm: SignatureAlgorithm
    /// The identifier of the key that verified the signature; `nil` if it has none.
    public let keyID: String?
}

/// Reads claims by type (RFC 7519 section 4.1). A claim of the wrong type is an error; null counts as absent.
struct ClaimReader {
    let object: JSONValue

    init(_ object: JSONValue) { self.object = object }

    private func claim(_ name: String) -> JSONValue? {
        let value = object[name]
        return value == .null ? nil : value
    }

    func text(_ name: String) throws(TokenError) -> String? {
        guard let value = claim(name) else { return nil }
        guard let text = value.string else { throw .invalidClaim(name) }
        return text
    }

    func requiredText(_ name: String) throws(TokenError) -> String {
        guard let text = try text(name) else { throw .missingClaim(name) }
        return text
    }

    /// Reads a NumericDate: seconds since 1970, with optional fractions.
    func time(_ name: String) throws(TokenError) -> Timestamp? {
        guard let value = claim(name) else { return nil }
        guard let seconds = value.double, seconds >= 0 else { throw .invalidClaim(name) }
        return Timestamp(seconds: seconds)
    }

    func requiredTime(_ name: String) throws(TokenError) -> Timestamp {
        guard let time = try time(name) else { throw .missingClaim(name) }
        return time
    }

    /// Reads `aud`: a string or an array of strings, which may be empty.
    func audience() throws(TokenError) -> [String] {
        guard let value = claim("aud") else { throw .missingClaim("aud") }
        guard let list = value.string.map({ [$0] }) ?? value.strings else { throw .invalidClaim("aud") }
        return list
    }

    /// Reads `sub`: 1 to 255 bytes (OpenID Connect Core section 2) without control characters. Core requires ASCII; other letters are
    /// accepted, because they are harmless if subjects are compared byte for byte.
    func subject() throws(TokenError) -> String {
        let text = try requiredText("sub")
        guard (1...255).contains(text.utf8.count), !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else {
            throw .invalidClaim("sub")
        }
        return text
    }

    /// Validates the user's authentication and returns its time (OpenID Connect Core section 3.1.3.7, steps 12 and 13): `acr` must be one
    /// of `contextClasses`, unless these are empty; if `maxAge` is set, `auth_time` must be present and at most `maxAge` seconds ago.
    func authentication(contextClasses: [String], maxAge: Int?, now: Timestamp) throws(TokenError) -> Timestamp? {
        // What was not asked for cannot fail a sign-in: SAP's and Cloud Foundry's acr is an object.
        if !contextClasses.isEmpty {
            guard let found = try text("acr"), contextClasses.contains(where: found.hasSameBytes) else { throw .wrongContextClass }
        }
        let moment = maxAge == nil ? (try? time("auth_time")) ?? nil : try time("auth_time")
        if let maxAge {
            guard let moment else { throw .missingClaim("auth_time") }
            guard moment <= now + IDTokenValidator.issueWindow else { throw .notYetValid }
            guard now - moment <= .seconds(maxAge) + IDTokenValidator.clockTolerance else { throw .authenticationTooOld }
        }
        return moment
    }
}
