public import AuthModel

/// Validates ID tokens by OpenID Connect Core section 3.1.3.7, step by step, with nothing left to the server's word.
///
/// 1. Encrypted tokens are refused: we register for no encryption.
/// 2. `iss` is the issuer, byte for byte.
/// 3. `aud` is us, and nobody else.
/// 4., 5. `azp`, where present, is us.
/// 6. The signature is verified with the issuer's keys, in the code flow too.
/// 7. `alg` is among those the provider announced, else RS256.
/// 8. MACs are refused.
/// 9. `exp` lies ahead, and `nbf` does not.
/// 10. `iat` is there and is now.
/// 11. `nonce` is the one that was sent.
/// 12. `acr` is one of those needed, where any was.
/// 13. `auth_time` keeps to `max_age`, where it was sent.
///
/// And: `typ` is that of an ID token, `at_hash` is right where present (section 3.1.3.8), `sub` is sound (section 2).
public struct IDTokenValidator: Equatable, Sendable {
    public var issuer: String
    public var clientID: String
    public var algorithms: Set<SignatureAlgorithm>
    /// Audiences that may stand beside us; nobody by default (step 3).
    public var trustedAudiences: Set<String> = []
    /// The nonce that was sent; `nil` where the flow sends none (device, refresh).
    public var nonce: Secret?
    /// The `max_age` that was sent, in seconds.
    public var maxAge: Int?
    /// The context classes of which one is needed; empty: any. For a step-up that a resource asked for (RFC 9470).
    public var requiredContextClasses: [String] = []

    /// How far two honest clocks may be apart, for `exp` and `nbf`.
    public static let clockTolerance: Duration = .seconds(120)
    /// How far `iat` of a token that was issued just now may be from our clock, either way.
    public static let issueWindow: Duration = .seconds(600)

    public init(issuer: Issuer, clientID: String, announcedAlgorithms: [String]?, nonce: Secret? = nil, maxAge: Int? = nil) {
        self.issuer = issuer.text
        self.clientID = clientID
        algorithms = SignatureAlgorithm.accepted(from: announcedAlgorithms)
        self.nonce = nonce
        self.maxAge = maxAge
    }

    /// For the answer to an authorization request.
    public init?(_ pending: PendingAuthorization, metadata: ProviderMetadata) {
        guard let issuer = pending.issuer else { return nil }
        self.init(
            issuer: issuer, clientID: pending.clientID, announcedAlgorithms: metadata.idTokenAlgorithms, nonce: pending.nonce,
            maxAge: pending.maxAge)
    }

    /// Validates the ID token of a sign-in.
    ///
    /// - Parameters:
    ///   - accessToken: the access token that came along, for `at_hash`.
    ///   - now: the time.
    /// - Throws: ``OAuthError``; when its ``OAuthError/asksForKeyRefetch`` is true, fetch the keys once more and try again, once.
    public func validate(_ token: Secret?, accessToken: Secret?, keys: KeySet, now: Timestamp) throws(OAuthError) -> IDToken {
        do throws(TokenError) {
            return try check(token, accessToken: accessToken, keys: keys, now: now)
        } catch {
            throw failure(error, keys)
        }
    }

    /// Validates the ID token of a renewal (OpenID Connect Core section 12.2): a new `iat`, and the same `iss`, `sub` and `azp`; the same
    /// `auth_time` and `nonce`, where both tokens have them. A nonce that was not there before is not there now.
    ///
    /// - Parameter old: the claims of the session's ID token; `iss` and `sub` must be among them, and are enough where the session had no
    ///   ID token and knows its account from elsewhere.
    public func validateRenewed(
        _ token: Secret, accessToken: Secret?, old: JSONValue, keys: KeySet, now: Timestamp
    ) throws(OAuthError) -> IDToken {
        do throws(TokenError) {
            var validator = self
            validator.nonce = nil
            validator.maxAge = nil
            let new = try validator.check(token, accessToken: accessToken, keys: keys, now: now)
            guard let issuer = old["iss"]?.string, issuer.hasSameBytes(as: new.issuer) else { throw .foreignIssuer }
            guard let subject = old["sub"]?.string, subject.hasSameBytes(as: new.subject) else { throw .otherSubject }
            if let nonce = new.claims["nonce"], nonce != old["nonce"] { throw .wrongNonce }
            if let time = new.claims["auth_time"]?.integer, let before = old["auth_time"]?.integer, time != before {
                throw .otherAuthenticationTime
            }
            return new
        } catch {
            throw failure(error, keys)
        }
    }

    /// Where it is the keys that do not fit, their host is the one to name.
    private func failure(_ flaw: TokenError, _ keys: KeySet) -> OAuthError {
        let issuerHost = WebURL(issuer)?.origin.authority
        return switch flaw {
        case .unknownKey, .unusableKey: OAuthError(.idToken, .token(flaw), host: keys.host ?? issuerHost)
        default: OAuthError(.idToken, .token(flaw), host: issuerHost)
        }
    }
}
