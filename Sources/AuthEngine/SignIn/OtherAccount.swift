import AuthModel

/// An account that the provider signed in although the user wanted another one, whose session exists.
struct OtherAccount {
    /// The label of the account that was signed in.
    let label: String
    /// The verified identity of the account that was signed in.
    let identity: Identity
    /// The session that the user wanted to sign in to.
    let requested: SessionName

    private static let keep = "keep"

    /// The account with its full name and address. It is one argument of the messages, so front ends of every version show all that the
    /// agent knows.
    private var account: String { identity.description(of: label) }

    /// The failure if it is not kept.
    var failure: AuthFailure {
        AuthFailure(
            .security, UserMessage("account.other_signed_in", ["account": account, "session": requested]),
            hint: "hint.choose_right_account")
    }

    /// Asks the user whether to keep the account under its own name. Where no user can be asked, it is not kept, because a program that
    /// named an account must not get another one.
    func isKept(asking attempt: AttemptChannel, given request: SignInRequest) async throws(AuthFailure) -> Bool {
        let kept = SessionName(provider: requested.provider, account: label)?.description ?? label
        let form = SignInForm(
            title: UserMessage("form.other_account", ["account": account, "session": requested]),
            fields: [
                .init(
                    id: SignInForm.otherAccountField, label: "form.other_account_choice",
                    kind: .choice([
                        .init(SignInForm.otherAccountDiscarded, title: "form.discard"),
                        .init(Self.keep, title: UserMessage("form.keep_as", ["session": kept])),
                    ]), suggestion: SignInForm.otherAccountDiscarded)
            ])
        return try await attempt.ask(form, given: request)[SignInForm.otherAccountField]?.reveal() == Self.keep
    }
}
