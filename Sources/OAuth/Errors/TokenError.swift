import AuthModel

/// The reason why an ID token or another JWT is invalid.
public enum TokenError: Error, Equatable, Sendable {
    /// `openid` was requested, but no ID token was returned.
    case absent
    /// Not a compact JWS with three strict base64url parts, a JSON object as header and a JSON object as payload.
    case malformed
    /// The token is encrypted. This client registers no encryption keys.
    case encrypted
    /// The header has a critical extension that is not supported (RFC 7515 section 4.1.11), or contains its own key.
    case headerNotAllowed(String)
    /// `typ` names another kind of token, such as an access token or a logout token.
    case wrongTokenType
    /// `alg` is none, a MAC, unknown, or not announced by the provider.
    case algorithmNotAllowed
    /// No key of the issuer matches. `keyID` is the key identifier in the token.
    case unknownKey(keyID: String?)
    /// The key is too weak or not for signatures.
    case unusableKey
    /// The signature is invalid.
    case badSignature
    /// A required claim is missing.
    case missingClaim(String)
    /// `auth_time` changed in a renewal.
    case changedAuthenticationTime
    /// A claim has the wrong type or format.
    case invalidClaim(String)
    /// `iss` is a different issuer.
    case wrongIssuer
    /// `aud` does not contain this client.
    case wrongAudience
    /// `aud` contains this client and audiences that are not trusted.
    case untrustedAudiences([String])
    /// `azp` is a different client.
    case wrongAuthorizedParty
    /// `exp` has passed.
    case expired
    /// `nbf` or `iat` is in the future.
    case notYetValid
    /// `iat` is too far in the past for a newly issued token.
    case stale
    /// `nonce` differs from the one that was sent.
    case wrongNonce
    /// `at_hash` belongs to a different access token.
    case wrongAccessTokenHash
    /// The user authenticated longer ago than `max_age` allows.
    case authenticationTooOld
    /// `acr` is not one of the required values.
    case wrongContextClass
    /// `sub` is a different account than before.
    case wrongSubject

    /// Whether a wrong clock on either side can cause this error.
    public var isClockRelated: Bool {
        switch self {
        case .expired, .notYetValid, .stale: true
        default: false
        }
    }

    /// A short description of the error.
    var text: UserMessage {
        switch self {
        case .absent: UserMessage("phrase.id_token_absent")
        case .malformed: UserMessage("phrase.token_not_well_formed_jwt")
        case .encrypted: UserMessage("phrase.token_encrypted")
        case .headerNotAllowed(let member): UserMessage("phrase.token_header_not_allowed", ["field": member])
        case .wrongTokenType: UserMessage("phrase.token_different_kind")
        case .algorithmNotAllowed: UserMessage("phrase.token_algorithm_not_announced")
        case .unknownKey: UserMessage("phrase.token_no_key_matches")
        case .unusableKey: UserMessage("phrase.token_key_unusable")
        case .badSignature: UserMessage("phrase.token_signature_invalid")
        case .missingClaim(let name): UserMessage("phrase.token_claim_missing", ["claim": name])
        case .changedAuthenticationTime: UserMessage("phrase.token_auth_time_changed")
        case .invalidClaim(let name): UserMessage("phrase.token_claim_malformed", ["claim": name])
        case .wrongIssuer: UserMessage("phrase.token_wrong_issuer")
        case .wrongAudience, .untrustedAudiences: UserMessage("phrase.token_wrong_audience")
        case .wrongAuthorizedParty: UserMessage("phrase.token_wrong_authorized_party")
        case .expired: UserMessage("phrase.token_expired")
        case .notYetValid: UserMessage("phrase.token_not_valid_yet")
        case .stale: UserMessage("phrase.token_issued_too_long_ago")
        case .wrongNonce: UserMessage("phrase.token_wrong_nonce")
        case .wrongAccessTokenHash: UserMessage("phrase.token_of_other_access_token")
        case .authenticationTooOld: UserMessage("phrase.token_sign_in_too_old")
        case .wrongContextClass: UserMessage("phrase.token_wrong_sign_in_kind")
        case .wrongSubject: UserMessage("phrase.token_of_different_account")
        }
    }

    /// The next step for the user; `nil` if there is none.
    var hint: UserMessage? {
        switch self {
        case .expired, .notYetValid, .stale: UserMessage("hint.check_clock")
        case .authenticationTooOld, .wrongContextClass: UserMessage("hint.repeat_sign_in")
        case .wrongSubject: UserMessage("hint.sign_in_again_with_right_account")
        // Only names that can be shown as they are: another one would never match.
        case .untrustedAudiences(let names) where names.allSatisfy { $0.hasSameBytes(as: ServerError.cut($0, limit: 100)) }:
            UserMessage("hint.trust_audiences", ["audiences": names.map { "\"\($0)\"" }.joined(separator: ", ")])
        default: nil
        }
    }
}
