internal import AuthModel

/// A period after a failure in which a provider gets no renewal request.
struct RenewalPause {
    /// The end, on the boot-time clock.
    let end: Duration
    let failure: AuthFailure

    /// Maximum length of a pause that a provider's Retry-After sets. A user who waits longer wants to know whether the provider works
    /// again.
    static let limit: Duration = .seconds(300)

    /// Returns whether the remaining time of a pause is valid. More than ``limit`` means that the clock was changed.
    static func counts(_ rest: Duration) -> Bool { rest > .zero && rest <= limit }
}
