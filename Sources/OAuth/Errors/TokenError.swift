/// What is wrong with an ID token or another JWT.
public enum TokenError: Error, Equatable, Sendable {
    /// `openid` was asked, and no ID token came.
    case absent
    /// Not a compact JWS of three strict base64url parts with a JSON header and a JSON object as payload.
    case malformed
    /// Encrypted; we registered for no encryption.
    case encrypted
    /// The header marks something as critical that we do not understand (RFC 7515 section 4.1.11), or brings its own key.
    case headerNotAllowed(String)
    /// `typ` says that it is something else: an access token, a logout token.
    case otherKind
    /// `alg` is none, a MAC, unknown, or not one the provider announced.
    case algorithmNotAllowed
    /// No key of the issuer fits. `keyID` is the one the token names.
    case unknownKey(keyID: String?)
    /// The key it names is too weak, or not for signatures.
    case unusableKey
    /// The signature is not the key's.
    case badSignature
    /// A claim that must be there is not.
    case missingClaim(String)
    /// `auth_time` changed with a renewal.
    case otherAuthenticationTime
    /// A claim has the wrong type or form.
    case wrongClaim(String)
    /// `iss` is another issuer.
    case foreignIssuer
    /// `aud` does not hold us, or holds somebody else too.
    case foreignAudience
    /// `azp` is another client.
    case foreignParty
    /// `exp` has passed.
    case expired
    /// `nbf` or `iat` lies ahead.
    case notYetValid
    /// `iat` is too long ago for a token that was issued just now.
    case stale
    /// `nonce` is not the one we sent.
    case wrongNonce
    /// `at_hash` belongs to another access token.
    case wrongAccessTokenHash
    /// The person signed in longer ago than `max_age` allows.
    case signedInTooLongAgo
    /// `acr` is none of those that were needed.
    case wrongContextClass
    /// `sub` is another account than before.
    case otherSubject
}

extension TokenError {
    /// Whether a wrong clock, here or there, makes a good token look like this.
    public var isAboutClocks: Bool {
        switch self {
        case .expired, .notYetValid, .stale: true
        default: false
        }
    }
}
