extension TokenError {
    /// A short description of the error.
    var text: String {
        switch self {
        case .absent: "none was issued, although openid was requested"
        case .malformed: "it is not a well-formed JWT"
        case .encrypted: "it is encrypted"
        case .headerNotAllowed(let member): "its header contains \(member), which is not allowed"
        case .wrongTokenType: "it is a different kind of token"
        case .algorithmNotAllowed: "the provider did not announce its signature algorithm"
        case .unknownKey: "none of the issuer's keys matches"
        case .unusableKey: "its key is too weak or not for signatures"
        case .badSignature: "its signature is invalid"
        case .missingClaim(let name): "it lacks \(name)"
        case .changedAuthenticationTime: "its auth_time differs from the sign-in's: it belongs to another sign-in"
        case .invalidClaim(let name): "its \(name) is malformed"
        case .wrongIssuer: "it is from a different issuer"
        case .wrongAudience: "it is not for this client only"
        case .wrongAuthorizedParty: "it was issued to another client"
        case .expired: "it has expired"
        case .notYetValid: "it is not valid yet"
        case .stale: "it was issued too long ago"
        case .wrongNonce: "its nonce does not match"
        case .wrongAccessTokenHash: "it belongs to another access token"
        case .authenticationTooOld: "the last sign-in is too old"
        case .wrongContextClass: "the sign-in was not of the requested kind"
        case .wrongSubject: "it is for a different account"
        }
    }

    /// What the user can do; `nil` if nothing.
    var hint: String? {
        switch self {
        case .expired, .notYetValid, .stale: "check this machine's clock"
        case .authenticationTooOld, .wrongContextClass: "sign in again"
        case .wrongSubject: "sign in again, with the right account"
        default: nil
        }
    }
}
