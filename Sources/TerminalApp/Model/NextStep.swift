import AuthModel
import TerminalAppModel

/// The user's next step after a flow that succeeded without a session.
struct NextStep: Equatable, Sendable {
    /// The requested action, as a heading: `Sign up at acme`.
    var title: String
    /// What happened, and what to do.
    var outcome: NoSession
    /// The page for creating the account, at providers that have one.
    var accountPage: WebURL?
    /// The page for installing the authenticator, if that is the next step.
    var authenticator: WebURL?
    /// The request for signing in afterwards; nil if no sign-in is needed.
    var signIn: SignInRequest?

    init(_ request: SignInRequest, _ outcome: NoSession, accountPage: WebURL?, authenticator: WebURL?) {
        title = SigningInWords.title(request)
        self.outcome = outcome
        let isAccountRequested = outcome.reason == .accountRequested
        self.accountPage = isAccountRequested ? accountPage : nil
        self.authenticator = isAccountRequested ? authenticator : nil
        signIn = isAccountRequested ? SignInRequest(provider: request.provider) : nil
    }
}
