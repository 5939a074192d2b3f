internal import AuthModel

extension TokenError {
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
        case .wrongAudience: UserMessage("phrase.token_wrong_audience")
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
        default: nil
        }
    }
}
