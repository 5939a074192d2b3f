internal import AuthModel

/// An account that the provider signed in although the user wanted another one, whose session exists.
struct OtherAccount {
    /// The label of the account that was signed in.
    let label: String
    /// The session that the user wanted to sign in to.
    let requested: SessionName

    private static let field = "other_account"
    private static let keep = "keep"
    private static let discard = "discard"

    /// The failure if it is not kept.
    var failure: AuthFailure {
        AuthFailure(
            .security, UserMessage("account.other_signed_in", ["account": label, "session": requested]), hint: "hint.choose_right_account")
    }

    /// Asks the user whether to keep the account under its own name. Where no user can be asked, it is not kept, because a program that
    /// named an account must not get another one.
    func isKept(asking attempt: AttemptReporter, given request: SignInRequest) async throws(AuthFailure) -> Bool {
        let kept = SessionName(provider: requested.provider, account: label)?.description ?? label
        let form = SignInForm(
            title: UserMessage("form.other_account", ["account": label, "session": requested]),
            fields: [
                .init(
                    id: Self.field, label: "form.other_account_choice",
                    kind: .choice([
                        .init(Self.discard, title: "form.discard"), .init(Self.keep, title: UserMessage("form.keep_as", ["session": kept])),
                    ]), suggestion: Self.discard)
            ])
        return try await attempt.ask(form, given: request)[Self.field]?.reveal() == Self.keep
    }
}
