import AuthModel
import SessionStore

/// Checks and completes the request of a sign-in before the provider is asked.
struct SignInPreparation: Sendable {
    let store: SessionStore

    /// Returns the request without a guest's account and with a login hint. Throws if the provider does not offer what it asks for.
    func prepared(_ request: SignInRequest, for adapter: any ProviderAdapter) async throws(AuthFailure) -> SignInRequest {
        guard request.purpose != .recover || adapter.recovers else {
            throw AuthFailure(
                .configuration, UserMessage("account.recovery_not_supported", ["provider": request.provider]),
                hint: "hint.recover_at_website")
        }
        let request = await removingGuestAccount(request)
        try await requireLabel(of: request)
        try validateAnswers(request, adapter)
        return await addingLoginHint(request)
    }

    /// Throws if a new account may not have this label. An account that an older version gave such a label keeps it.
    private func requireLabel(of request: SignInRequest) async throws(AuthFailure) {
        guard let account = request.account, !SessionName.isPlainLabel(account) else { return }
        let known = SessionName(provider: request.provider, account: account)
        if let known, let sessions = try? await store.summaries(), sessions.contains(where: { $0.name == known }) { return }
        throw AuthFailure(
            .usage, "account.invalid_label",
            hint: "hint.account_label_characters")
    }

    /// Throws if the request answers a field that the provider does not ask for. Ignoring the answer would sign the user in by another
    /// method than they chose.
    private func validateAnswers(_ request: SignInRequest, _ adapter: any ProviderAdapter) throws(AuthFailure) {
        let asked = adapter.askedFields(request.purpose)
        guard let field = request.answers.keys.sorted().first(where: { !asked.contains($0) }) else { return }
        throw switch field {
        case "idp":
            AuthFailure(
                .usage, UserMessage("sign_in.idp_choice_not_supported", ["provider": request.provider]),
                hint: "hint.remove_idp")
        case "email":
            AuthFailure(
                .usage, UserMessage("form.email_not_asked", ["provider": request.provider]), hint: "hint.remove_email")
        case "display_name":
            AuthFailure(
                .usage, UserMessage("form.display_name_not_asked", ["provider": request.provider]),
                hint: "hint.remove_display_name")
        default:
            AuthFailure(
                .usage, UserMessage("form.field_not_asked", ["provider": request.provider, "field": field]), hint: "hint.remove_answer")
        }
    }

    /// Returns the request without the guest account: a user cannot sign in as a guest.
    private func removingGuestAccount(_ request: SignInRequest) async -> SignInRequest {
        guard let name = request.account.flatMap({ SessionName(provider: request.provider, account: $0) }),
            let sessions = try? await store.summaries(), sessions.contains(where: { $0.name == name && $0.isAnonymousGuest })
        else { return request }
        var request = request
        request.account = nil
        return request
    }

    /// Returns the request with a login hint, if it names an account that signed in before.
    func addingLoginHint(_ request: SignInRequest) async -> SignInRequest {
        guard request.purpose == .signIn, request.loginHint == nil, let account = request.account,
            let name = SessionName(provider: request.provider, account: account), let record = try? await store.record(name)
        else { return request }
        var request = request
        request.loginHint = record.identity.text("preferred_username") ?? record.identity.text("email")
        return request
    }
}

/// An account that the provider signed in although the user wanted another one, whose session exists.
struct OtherAccount {
    /// The label of the account that was signed in.
    let label: String
    /// The session that the user wanted to sign in to.
    let requested: SessionName

    private static let keep = "keep"

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
                    id: SignInForm.otherAccountField, label: "form.other_account_choice",
                    kind: .choice([
                        .init(SignInForm.otherAccountDiscarded, title: "form.discard"),
                        .init(Self.keep, title: UserMessage("form.keep_as", ["session": kept])),
                    ]), suggestion: SignInForm.otherAccountDiscarded)
            ])
        return try await attempt.ask(form, given: request)[SignInForm.otherAccountField]?.reveal() == Self.keep
    }
}
