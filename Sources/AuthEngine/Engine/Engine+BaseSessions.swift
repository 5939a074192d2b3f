public import AuthModel
internal import SessionStore

extension Engine: BaseSessions {
    /// Returns the provider's session with the latest sign-in; `nil` if there is none.
    public func latest(of provider: ProviderName) async -> SessionRecord? {
        let last = try? await sessions().filter { $0.name.provider == provider }.max { $0.grantedAt < $1.grantedAt }
        guard let last else { return nil }
        return try? await record(last.name)
    }

    /// Replaces a session that its provider no longer knows with a guest's tokens; without a guest, marks it as needing a sign-in. Does
    /// nothing if the session has new tokens.
    public func markEnded(_ record: SessionRecord, as guest: Renewal?) async {
        // If the change cannot be written now, the provider's refusal shows it at the next use.
        _ = try? await store.update(record.summary.name) { known in
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
        await announceSessions()
    }

    /// Returns a fresh token of the base session `name` for `provider`.
    public func base(
        _ name: SessionName, for provider: ProviderName, wanted: TokenRequest.Wanted
    ) async throws(AuthFailure) -> BaseSession {
        try rejectCycle(from: provider)
        let record = try await record(name)
        // The token goes to the configured provider and to no program, so the token policy does not apply.
        let grant = try await issue(
            record, for: TokenRequest(session: record.summary.name, wanted: wanted, caller: "yett, for \(provider)"))
        return BaseSession(name: record.summary.name, identity: record.identity, token: grant.token)
    }

    /// Returns a fresh token of the base session `name` for `provider`. Signs in at the base provider first if it is necessary.
    public func base(
        _ name: SessionName, for provider: ProviderName, wanted: TokenRequest.Wanted, or request: SignInRequest, attempt: AttemptReporter
    ) async throws(AuthFailure) -> BaseSession {
        do throws(AuthFailure) {
            return try await base(name, for: provider, wanted: wanted)
        } catch  where [.notSignedIn, .signInAgain].contains(error.kind) {
            let adapter = try adapter(for: name.provider)
            let own = SignInRequest(
                provider: name.provider, account: name.account, flow: request.flow, uiLocales: request.uiLocales, timeout: request.timeout,
                userEnvironment: request.userEnvironment)
            let grant = try await adapter.signIn(await addingLoginHint(own), attempt: attempt, sessions: self)
            if Task.isCancelled { throw AuthFailure(.cancelled, "the sign-in was cancelled") }
            let summary = try await keep(grant, for: own, adapter: adapter)
            announce(.signedIn, summary.name, "signed in at \(adapter.address(of: summary))")
            await announceSessions()
            return try await base(summary.name, for: provider, wanted: wanted)
        }
    }

    /// Deletes a session that a sign-in as another user has replaced. Queues its revocations unless the provider knows that it has ended.
    public func signOut(_ record: SessionRecord, providerKnows: Bool) async {
        guard let known = try? await store.record(record.summary.name), known.summary.receivedAt == record.summary.receivedAt else {
            return
        }
        var queuedRevocations: [QueuedRevocation] = []
        if !providerKnows, let adapter = adapters[record.summary.name.provider] {
            for case .token(_, let revocation) in await adapter.revocations(for: known) { queuedRevocations.append(revocation) }
        }
        guard (try? await store.delete(record.summary.name, revoking: queuedRevocations)) != nil else { return }
        announce(.signedOut, record.summary.name, "signed out")
        await announceSessions()
    }

    /// Throws `.configuration` if base providers form a cycle. A renewal waits for the base session's renewal, so a cycle would never end.
    private func rejectCycle(from start: ProviderName) throws(AuthFailure) {
        var seen: Set<ProviderName> = []
        var next: ProviderName? = start
        while let provider = next {
            guard seen.insert(provider).inserted else {
                throw AuthFailure(
                    .configuration, "the sessions of \(start) depend on themselves",
                    hint: "set from in [providers.\(start)] to a provider with its own sign-in")
            }
            next = adapters[provider]?.base?.provider
        }
    }
}
