extension TokenError {
    /// A short description of the error.
    var text: String {
        switch self {
        case .absent: "none came, though openid was asked"
        case .malformed: "it is not a well-formed JWT"
        case .encrypted: "it is encrypted"
        case .headerNotAllowed(let member): "its header has \(member), which is not taken"
        case .wrongTokenType: "it is a token of another kind"
        case .algorithmNotAllowed: "its signature algorithm is not one the provider announced"
        case .unknownKey: "none of the issuer's keys fits"
        case .unusableKey: "its key is too weak or not for signatures"
        case .badSignature: "its signature is wrong"
        case .missingClaim(let name): "it lacks \(name)"
        case .changedAuthenticationTime: "its auth_time differs from that of the sign-in: it is about another one"
        case .invalidClaim(let name): "its \(name) is not well-formed"
        case .wrongIssuer: "it is of another issuer"
        case .wrongAudience: "it is not for this client alone"
        case .wrongAuthorizedParty: "it was issued to another client"
        case .expired: "it has expired"
        case .notYetValid: "it is not valid yet"
        case .stale: "it was issued too long ago"
        case .wrongNonce: "its nonce is not the one that was sent"
        case .wrongAccessTokenHash: "it belongs to another access token"
        case .authenticationTooOld: "the last sign-in is longer ago than was asked"
        case .wrongContextClass: "the sign-in was not of the kind that was asked"
        case .wrongSubject: "it is of another account"
        }
    }

    /// What the user can do; `nil` if nothing.
    var hint: String? {
        switch self {
        case .expired, .notYetValid, .stale: "check this machine's clock"
        case .authenticationTooOld, .wrongContextClass: "sign in again"
        case .wrongSubject: "sign in again, with the account meant"
        default: nil
        }
    }
}
