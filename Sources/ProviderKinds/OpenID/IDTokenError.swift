internal import AuthEngine
internal import AuthModel
internal import OAuth

/// The reason why a signed token was not accepted.
enum IDTokenError: Error {
    /// The keys to check it with are not available now.
    case keysUnavailable(AuthFailure)
    /// No known key fits, and the keys were fetched too recently to fetch them again.
    case keysTooRecent(OAuthError)
    /// According to this machine's clock, the token is expired or not yet valid. The clock may be wrong.
    case clockMismatch(OAuthError)
    /// The token is invalid.
    case wrong(OAuthError)

    init(_ error: OAuthError) {
        switch error.kind {
        case .token(let flaw) where flaw.isClockRelated: self = .clockMismatch(error)
        default: self = .wrong(error)
        }
    }

    var failure: AuthFailure {
        switch self {
        case .keysUnavailable(let failure): failure
        case .keysTooRecent(let error), .clockMismatch(let error), .wrong(let error): error.failure
        }
    }
}
