internal import AuthModel
internal import OAuth

/// Why a signed token was not taken.
enum IDTokenError: Error {
    /// The keys to check it with cannot be had now.
    case withoutKeys(AuthFailure)
    /// None of the keys fits, and they were asked for so lately that they were not asked for again.
    case keysTooRecent(OAuthError)
    /// By this machine's clock it is of another time. It may well be the clock that is wrong.
    case untimely(OAuthError)
    /// It is not what it should be.
    case wrong(OAuthError)

    init(_ error: OAuthError) {
        switch error.kind {
        case .token(let flaw) where flaw.isAboutClocks: self = .untimely(error)
        default: self = .wrong(error)
        }
    }

    var failure: AuthFailure {
        switch self {
        case .withoutKeys(let failure): failure
        case .keysTooRecent(let error), .untimely(let error), .wrong(let error): error.failure
        }
    }
}
