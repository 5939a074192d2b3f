import AuthModel

/// What a sign-in led to that went as it should, and gave no session: what the person does next.
struct NextStep: Equatable, Sendable {
    /// What was asked for, as a heading: `Sign up at acme`.
    var title: String
    /// What happened, and what to do: the session service's words, which are no trouble.
    var outcome: AuthFailure
    /// Where the account is made, at providers that have a page for it.
    var accountPage: WebURL?
    /// Where the authenticator is to be had, when that is what is missing now.
    var authenticator: WebURL?
    /// What to sign in with afterwards; `nil` where nobody has to.
    var signIn: SignInRequest?

    init(_ request: SignInRequest, _ outcome: AuthFailure, accountPage: WebURL?, authenticator: WebURL?) {
        title = SigningInWords.title(request)
        self.outcome = outcome
        let hasAccountSoon = outcome.kind == .accountRequested
        self.accountPage = hasAccountSoon ? accountPage : nil
        self.authenticator = hasAccountSoon ? authenticator : nil
        signIn = hasAccountSoon ? SignInRequest(provider: request.provider) : nil
    }
}
