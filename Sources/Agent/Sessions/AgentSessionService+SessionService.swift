public import AuthModel

extension AgentSessionService: SessionService {
    // MARK: Sessions

    /// Lists the providers of the current configuration.
    public func providers() async throws(AuthFailure) -> [ProviderSummary] { try await services.current().providers() }

    /// Lists all sessions, with their planned renewals.
    public func sessions() async throws(AuthFailure) -> [SessionSummary] { plan.planned(try await services.current().sessions()) }

    /// Returns a session's details, with its planned renewal.
    public func session(_ name: SessionName) async throws(AuthFailure) -> SessionDetail {
        idle.touch()
        var detail = try await services.current().session(name)
        detail.summary = plan.planned([detail.summary])[0]
        return detail
    }

    /// Makes an account the active one of its provider, and clears the cache.
    public func activate(_ account: String?, at provider: ProviderName) async throws(AuthFailure) {
        idle.touch()
        // A token that was cached under the provider's name alone may belong to another account.
        cache.clear()
        defer { cache.clear() }
        try await services.current().activate(account, at: provider)
    }

    /// Returns the latest entries of the activity log.
    public func activity(_ limit: Int) async throws(AuthFailure) -> [Activity] { try log.recorded(limit) }

    /// Returns the events from now on.
    public func events() async -> AsyncStream<SessionServiceEvent> { await events(answering: false) }

    /// Returns the events from now on, with consent requests. Its reader may answer them.
    public func interactiveEvents() async -> AsyncStream<SessionServiceEvent> { await events(answering: true) }

    /// Returns the changes from now on, without the activity.
    public func changes() async -> AsyncStream<SessionServiceEvent> { await events(answering: false, withActivity: false) }

    private func events(answering isAnswering: Bool, withActivity: Bool = true) async -> AsyncStream<SessionServiceEvent> {
        // Events come only from a running session service, so create it.
        _ = try? await services.current()
        let (stream, continuation) = AsyncStream.makeStream(of: SessionServiceEvent.self)
        let id = observers.add(continuation, withActivity: withActivity)
        if isAnswering { await questions.join(id, continuation) }
        continuation.onTermination = { [weak observers, weak questions] _ in
            observers?.remove(id)
            Task { await questions?.leave(id) }
        }
        return stream
    }

    /// Answers an open consent request. Throws if it is no longer open.
    public func answerQuestion(_ id: TokenConsentRequest.ID, allows: Bool, from witness: ConsentConfirmation?) async throws(AuthFailure) {
        try await questions.answer(id, allows: allows, from: witness)
    }

    // MARK: Signing in

    /// Starts a sign-in attempt with the current configuration.
    public func signIn(_ request: SignInRequest) async throws(AuthFailure) -> SignInAttempt {
        idle.touch()
        let service = try await services.current()
        let attempt = try await service.signIn(request)
        operations[attempt.id] = service
        let (events, continuation) = AsyncStream.makeStream(of: SignInEvent.self)
        let task = Task {
            for await event in attempt.events { continuation.yield(await self.planned(event, by: service)) }
            continuation.finish()
            self.operations[attempt.id] = nil
        }
        continuation.onTermination = { _ in task.cancel() }
        return SignInAttempt(id: attempt.id, events: events)
    }

    /// Plans the new session's renewal before the caller gets its final event.
    private func planned(_ event: SignInEvent, by service: any SessionService) async -> SignInEvent {
        guard case .finished(.success(let session)) = event else { return event }
        if let sessions = try? await service.sessions() { await overview.notice(sessions) }
        return .finished(.success(plan.planned([session])[0]))
    }

    /// Passes pasted text to an attempt.
    public func paste(_ text: Secret, into attempt: SignInAttempt.ID) async throws(AuthFailure) {
        try await service(of: attempt).paste(text, into: attempt)
    }

    /// Requests a device code for an attempt.
    public func requestDeviceCode(for attempt: SignInAttempt.ID) async throws(AuthFailure) {
        try await service(of: attempt).requestDeviceCode(for: attempt)
    }

    /// Passes the user's answers to an attempt.
    public func answer(_ answers: SignInForm.Answers, to attempt: SignInAttempt.ID) async throws(AuthFailure) {
        try await service(of: attempt).answer(answers, to: attempt)
    }

    private func service(of attempt: SignInAttempt.ID) async throws(AuthFailure) -> any SessionService {
        if let known = operations[attempt] { known } else { try await services.current() }
    }

    /// Cancels an attempt.
    public func cancel(_ attempt: SignInAttempt.ID) async { await operations[attempt]?.cancel(attempt) }

    /// Returns a provider's details; `nil` if its kind has none.
    public func details(of provider: ProviderName) async throws(AuthFailure) -> ProviderDetails? {
        try await services.current().details(of: provider)
    }

    // MARK: Signing out

    /// Signs out, clears the cache, and schedules the delivery of queued revocations.
    public func signOut(_ name: SessionName, mode: SignOutMode) async throws(AuthFailure) -> SignOutReceipt {
        idle.touch()
        let service = try await services.current()
        cache.clear()
        defer { cache.clear() }
        let receipt = try await service.signOut(name, mode: mode)
        if let way = receipt.browserReturn { operations[way.id] = service }
        if receipt.entries.contains(where: \.isQueued) { revocations.start(after: RevocationTimer.minimumInterval) }
        return receipt
    }

    /// Waits for the browser after a sign-out, in the service that performed the sign-out.
    public func browserReturn(_ id: BrowserReturn.ID) async throws(AuthFailure) -> SignOutReceipt.Outcome {
        // The service that waits for the browser knows it; the configuration may have changed since.
        let service: any SessionService
        if let known = operations[id] { service = known } else { service = try await services.current() }
        defer { operations[id] = nil }
        return try await service.browserReturn(id)
    }

    /// Ends the wait for a browser.
    public func stopWaiting(for id: BrowserReturn.ID) async { await operations.remove(id)?.stopWaiting(for: id) }

    /// Sends the queued revocations that are due. Returns when the next one is due; `nil` if none is left.
    public func deliverRevocations() async -> Timestamp? { await revocations.deliver() }

    // MARK: Clients

    /// Stores a registration's management data.
    public func keep(_ management: ClientManagement) async throws(AuthFailure) { try await services.current().keep(management) }

    /// Removes a registration at its issuer.
    public func unregister(_ clientID: String, at issuer: Issuer, caFile: String?) async throws(AuthFailure) -> Bool {
        try await services.current().unregister(clientID, at: issuer, caFile: caFile)
    }

    // MARK: The seal

    /// Returns the seal's state. After a sleep of the machine, locks the store first.
    public func seal() async -> SealState { await storeLock.seal() }

    /// Returns whether a passphrase unlocks the store; true if there is no session service.
    public func needsPassphrase() async -> Bool {
        guard let service = try? await services.lastKnown() else { return true }
        return await service.needsPassphrase()
    }

    /// Unlocks a store that needs no passphrase, unless the user locked it or the machine is about to sleep.
    public func unlockIfNoPassphraseNeeded() async throws(AuthFailure) { try await storeLock.unlockIfNoPassphraseNeeded() }

    /// Unlocks the store, and starts the idle limit, the renewals and the revocations.
    ///
    /// - Throws: `.cancelled` if the store was locked meanwhile.
    public func unlock(passphrase: Secret) async throws(AuthFailure) { try await storeLock.unlock(passphrase: passphrase) }

    /// Locks the store until the user unlocks it.
    public func lock() async throws(AuthFailure) { try await storeLock.lock() }
}
