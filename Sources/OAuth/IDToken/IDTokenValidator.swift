public import AuthModel

/// Validates ID tokens as defined in OpenID Connect Core section 3.1.3.7. No step can be turned off; the last three apply
/// to what was requested.
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
            guard let issuer = old["iss"]?.string, issuer.hasSameBytes(as: new.issuer) else { throw .wrongIssuer }
            guard let subject = old["sub"]?.string, subject.hasSameBytes(as: new.subject) else { throw .wrongSubject }
            if let nonce = new.claims["nonce"], nonce != old["nonce"] { throw .wrongNonce }
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
}
