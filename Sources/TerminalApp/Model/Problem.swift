import AuthModel

/// The content of the problem screen: the failed action, the reason, and the retry.
struct Problem: Equatable, Sendable {
    /// The failed action, as a heading: `Sign in to work`.
    var title: String
    var failure: AuthFailure
    /// The action of the retry key; nil if a retry cannot help.
    var retry: Retry?
    /// The steps of the sign-in that failed, the last started one being the one that failed; empty for other actions.
    var steps: [SigningInScreen.StepLine] = []

    enum Retry: Equatable, Sendable {
        case load
        /// `typed`: the user's earlier answers, which fill the forms again.
        case signIn(SignInRequest, typed: SignInForm.Answers = [:])
        case loadSession(SessionName)
    }

    init(_ title: String, _ failure: AuthFailure, retry: Retry? = nil) {
        self.title = title
        self.failure = failure
        self.retry = retry
    }
}
