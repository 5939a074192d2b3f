import AuthModel

/// What the problem screen shows: what was tried, why it did not work, and what can be tried again.
struct Problem: Equatable, Sendable {
    /// What was tried, as a heading: `Sign in to work`.
    var title: String
    var failure: AuthFailure
    /// What pressing the retry key does; `nil` where trying again cannot help.
    var retry: Retry?

    enum Retry: Equatable, Sendable {
        case load
        /// `typed`: what the person answered the first time; their forms begin with it.
        case signIn(SignInRequest, typed: SignInForm.Answers = [:])
        case loadSession(SessionName)
        case renew(SessionName)
    }

    init(_ title: String, _ failure: AuthFailure, retry: Retry? = nil) {
        self.title = title
        self.failure = failure
        self.retry = retry
    }
}

/// A question with one dangerous answer, asked once, in words.
struct Confirmation: Equatable, Sendable {
    var title: String
    /// What happens on yes; a paragraph each.
    var text: [String]
    /// What the dangerous answer is called.
    var yes: String
    /// Where yes leads.
    var destination: Destination
}
