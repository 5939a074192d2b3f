internal import AuthModel
internal import SessionStore

/// Gives adapters access to other sessions: to the ones that their sessions are made from, and to previous sessions of the provider.
struct BaseSessionAccess: Sendable {
    let context: EngineContext
    let issuing: TokenIssuing
    let signIn: SignIn

    /// Returns the provider's session with the latest sign-in; `nil` if there is none.
    func latest(of provider: ProviderName) async -> SessionRecord? {
        let last = try? await context.sessions.all(at: provider).max { $0.grantedAt < $1.grantedAt }
        guard let last else { return nil }
        return try? await context.sessions.record(last.name)
    }

    /// Replaces a session that its provider no longer knows with a guest's tokens; without a guest, marks it as needing a sign-in. Does
    /// nothing if the session has new tokens.
    func markEnded(_ record: SessionRecord, as guest: Renewal?) async {
        // If the change cannot be written now, the provider's refusal shows it at the next use.
        _ = try? await context.store.update(record.summary.name) { known in
            guard var changed = known, changed.summary.receivedAt == record.summary.receivedAt else { return }
            if let guest {
                changed.take(guest, isRenewable: true)
                // Keep the time, because it identifies the session that was left.
                changed.summary.receivedAt = record.summary.receivedAt
            } else {
                changed.tokens = nil
                changed.summary.recordedState = .needsSignIn
                changed.summary.isRenewable = false
                changed.summary.accessExpiresAt = nil
            }
            known = changed
        }
        await context.events.announceSessions()
    }

    /// Returns a fresh token of the base session `name` for `provider`.
    func base(_ name: SessionName, for provider: ProviderName, wanted: TokenRequest.Wanted) async throws(AuthFailure) -> BaseSession {
        try context.providers.rejectCycle(from: provider)
        let record = try await context.sessions.record(name)
        // The token goes to the configured provider and to no program, so the token policy does not apply.
        let issued = try await issuing.issue(
            record,
            for: TokenRequest(
                session: record.summary.name, wanted: wanted, caller: UserMessage("phrase.yett_for_provider", ["provider": provider])))
        return BaseSession(name: record.summary.name, identity: record.identity, token: issued.token)
    }

    /// Returns a fresh token of the base session `name` for `provider`. Signs in at the base provider first if it is necessary.
    func base(
        _ name: SessionName, for provider: ProviderName, wanted: TokenRequest.Wanted, or request: SignInRequest, attempt: AttemptReporter
    ) async throws(AuthFailure) -> BaseSession {
        do throws(AuthFailure) {
            return try await base(name, for: provider, wanted: wanted)
        } catch  where [.notSignedIn, .signInAgain].contains(error.kind) {
            let own = SignInRequest(
                provider: name.provider, account: name.account, flow: request.flow, uiLocales: request.uiLocales, timeout: request.timeout,
                userEnvironment: request.userEnvironment)
            let summary = try await signIn.signIn(within: attempt, own)
            return try await base(summary.name, for: provider, wanted: wanted)
        }
    }
}
