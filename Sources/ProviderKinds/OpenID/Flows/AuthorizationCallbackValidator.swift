internal import AuthEngine
internal import AuthModel
internal import OAuth

/// Validates callbacks of an authorization request.
struct AuthorizationCallbackValidator: CallbackValidator {
    let pending: PendingAuthorization

    func validate(_ query: String) -> CallbackOutcome<ValidatedCallback> {
        switch AuthorizationResponse(query: query, for: pending) {
        case .accepted(let callback): .accepted(callback)
        case .denied(let error): .denied(error.failure)
        case .refused(let error): .refused(error.failure)
        case .ignored(let reason): .ignored(reason: reason.message)
        }
    }

    /// Reads a pasted redirect URL, or its query alone. If the redirect is out of band, reads the code that the provider's page showed.
    func read(pasted text: String) throws(AuthFailure) -> Pasted<ValidatedCallback> {
        if case .accepted(let callback)? = AuthorizationResponse(shownCode: text[...], for: pending) { return .answer(callback) }
        guard let mark = text.firstIndex(of: "?") else { return .query(String(text.prefix { $0 != "#" })) }
        guard isRedirect(text[..<mark]) else { throw .pastedWrongURL(than: pending.redirectURI) }
        return .query(String(text[text.index(after: mark)...].prefix { $0 != "#" }))
    }

    /// Whether an address without its query is the redirect URI. A browser shows one without a path with a slash.
    private func isRedirect(_ address: Substring) -> Bool {
        address == pending.redirectURI || (WebURL(pending.redirectURI)?.path.isEmpty == true && address == pending.redirectURI + "/")
    }

    /// A provider that does not know the redirect URI tells only the browser, and does not return.
    var timeoutHint: UserMessage { UserMessage("hint.redirect_may_be_unregistered", ["redirect": pending.redirectURI]) }

    var unexpectedPaste: AuthFailure {
        AuthFailure(
            .security, "callback.pasted_address_of_other_sign_in",
            hint: "hint.paste_current_address")
    }

    func timedOut(after answers: UserMessage) -> AuthFailure {
        AuthFailure(
            .security, UserMessage("sign_in.timed_out_ignored_responses", ["responses": answers]),
            hint: "hint.other_program_interferes")
    }
}
