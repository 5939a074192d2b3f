public import AuthModel

/// The agent's rules for each operation: when it counts as use, when cached tokens go, and which service carries it out.
extension AgentSessionService: SessionService {
    package func perform<Operation: SessionOperation>(_ operation: Operation) async throws(AuthFailure) -> Operation.Reply {
        if let handler = Self.handlers[Operation.self] { return try await handler(self, operation) }
        return try await forward(operation)
    }

    /// Has an operation carried out by a service, by default the one of the current configuration.
    func forward<Operation: SessionOperation>(
        _ operation: Operation, to chosen: (any SessionService)? = nil
    ) async throws(AuthFailure) -> Operation.Reply {
        let rules = Operation.route.rules
        if rules.contains(.countsAsUse) { idle.touch() }
        let service: any SessionService
        if let chosen { service = chosen } else { service = try await services.current() }
        // Before and after it, because callers may ask during the operation.
        if rules.contains(.changesTokens) { cache.clear() }
        defer { if rules.contains(.changesTokens) { cache.clear() } }
        return try await service.perform(operation)
    }

    /// The operations that need more than forwarding.
    private static let handlers = {
        var handlers = OperationHandlers<AgentSessionService>()
        handlers.on(ListSessions.self) { agent, operation throws(AuthFailure) in
            agent.plan.withPlannedRenewals(try await agent.forward(operation))
        }
        handlers.on(ShowSession.self) { agent, operation throws(AuthFailure) in
            var detail = try await agent.forward(operation)
            detail.summary = agent.plan.withPlannedRenewals(detail.summary)
            return detail
        }
        handlers.on(ListActivity.self) { agent, operation throws(AuthFailure) in try agent.log.recorded(operation.limit) }
        handlers.on(IssueToken.self) { agent, operation throws(AuthFailure) in try await agent.issue(operation.request) }
        handlers.on(CreateProof.self) { agent, operation throws(AuthFailure) in
            try await agent.proof(operation.request, for: nil, process: nil)
        }
        handlers.on(ReadDerivedCredential.self) { agent, operation throws(AuthFailure) in
            try await agent.refuseBlocked(operation.request, by: agent.services.current())
            return try await agent.forward(operation)
        }
        handlers.on(ListRoles.self) { agent, operation throws(AuthFailure) in try await agent.issue(operation) }
        handlers.on(IssueRoleCredentials.self) { agent, operation throws(AuthFailure) in try await agent.issue(operation) }
        handlers.on(RenewSession.self) { agent, operation throws(AuthFailure) in
            agent.plan.callerWaits(for: operation.session.provider)
            defer { agent.plan.callerLeft(operation.session.provider) }
            return agent.plan.withPlannedRenewals(try await agent.forward(operation))
        }
        handlers.on(RevokeRemoteToken.self) { agent, operation throws(AuthFailure) in
            agent.plan.withPlannedRenewals(try await agent.forward(operation))
        }

        // An attempt and a wait for the browser stay with the service that began them: the configuration may have changed since.
        handlers.onAttempt(PasteText.self) { $0.attempt }
        handlers.onAttempt(SubmitAnswers.self) { $0.attempt }
        handlers.onAttempt(RequestDeviceCode.self) { $0.attempt }
        handlers.on(CancelSignIn.self) { agent, operation in await agent.operations[operation.attempt]?.cancel(operation.attempt) }
        handlers.on(AnswerQuestion.self) { agent, operation throws(AuthFailure) in
            try await agent.questions.answer(operation.id, allows: operation.allows, from: operation.witness)
        }
        handlers.on(SignOutSession.self) { agent, operation throws(AuthFailure) in
            let service = try await agent.services.current()
            let receipt = try await agent.forward(operation, to: service)
            if let wait = receipt.browserReturn { agent.operations[wait.id] = service }
            if receipt.entries.contains(where: \.isQueued) { agent.revocations.start(after: RevocationTimer.minimumInterval) }
            return receipt
        }
        handlers.on(AwaitBrowserReturn.self) { agent, operation throws(AuthFailure) in
            defer { agent.operations[operation.id] = nil }
            return try await agent.forward(operation, to: agent.operations[operation.id])
        }
        handlers.on(StopWaitingForBrowser.self) { agent, operation in
            await agent.operations.remove(operation.id)?.stopWaiting(for: operation.id)
        }

        // After a sleep of the machine, the store is locked first.
        handlers.on(ReadSeal.self) { agent, _ in
            let state = await agent.storeLock.storeState()
            var report = (try? await agent.services.lastKnown().perform(ReadSeal())) ?? SealReport(state: state, needsPassphrase: true)
            report.state = state
            return report
        }
        handlers.on(UnlockStore.self) { agent, operation throws(AuthFailure) in
            try await agent.storeLock.unlock(passphrase: operation.passphrase, isPIN: operation.isPIN)
            return await agent.storeLock.storeState()
        }
        handlers.on(LockStore.self) { agent, _ throws(AuthFailure) in
            try await agent.storeLock.lock()
            return await agent.storeLock.storeState()
        }
        return handlers
    }()

    /// Unlocks a store that needs no passphrase, unless the user locked it or the machine is about to sleep.
    package func unlockIfNoPassphraseNeeded() async throws(AuthFailure) { try await storeLock.unlockIfNoPassphraseNeeded() }

    /// Waits for the service's running operations, before the process ends.
    package func shutDown() async { await (try? services.lastKnown())?.shutDown() }

    package func events(_ selection: SessionServiceEvent.Selection) async -> AsyncStream<SessionServiceEvent> {
        // Events come only from a running session service, so create it.
        _ = try? await services.current()
        let (stream, continuation) = AsyncStream.makeStream(of: SessionServiceEvent.self)
        let id = observers.add(continuation, withActivity: selection != .changes)
        if selection == .interactive { await questions.join(id, continuation) }
        continuation.onTermination = { [weak observers, weak questions] _ in
            observers?.remove(id)
            Task { await questions?.leave(id) }
        }
        return stream
    }

    /// Starts a sign-in attempt with the current configuration.
    package func signIn(_ request: SignInRequest) async throws(AuthFailure) -> SignInAttempt {
        idle.touch()
        let service = try await services.current()
        let attempt = try await service.signIn(request)
        operations[attempt.id] = service
        let (events, continuation) = AsyncStream.makeStream(of: SignInEvent.self)
        let task = Task {
            for await event in attempt.events { continuation.yield(await self.withPlannedRenewals(event, by: service)) }
            continuation.finish()
            self.operations[attempt.id] = nil
        }
        continuation.onTermination = { _ in task.cancel() }
        return SignInAttempt(id: attempt.id, events: events)
    }

    /// Plans the new session's renewal before the caller gets its final event.
    private func withPlannedRenewals(_ event: SignInEvent, by service: any SessionService) async -> SignInEvent {
        guard case .finished(.success(let session)) = event else { return event }
        if let sessions = try? await service.sessions() { await followUp.update(for: sessions) }
        return .finished(.success(plan.withPlannedRenewals(session)))
    }
}

/// Issues tokens: from the cache, with the user's consent, and in place of refused ones.
extension AgentSessionService {
    /// Issues a token, from the cache if possible. Asks the observers for consent if the policy is `ask`.
    func issue(_ request: TokenRequest) async throws(AuthFailure) -> IssuedToken {
        if !request.isForwarded { idle.touch() }
        let service = try await services.current()
        // Only now the configuration is as the file says.
        try await refuseBlocked(request, by: service)
        // A token that a resource refuses must not be issued to other callers.
        if request.refused != nil { cache.clear() }
        if let cached = cache.token(for: request, now: time.now, bootTime: time.bootTime) {
            let issued = try await accepted(cached.issued, for: request, by: service)
            if issued == cached.issued { announceUse(of: issued, by: request) }
            return issued
        }
        let generation = cache.generation
        let issued = try await withConsent(to: request, by: service) { (request) throws(AuthFailure) in
            try await accepted(try await service.token(request), for: request, by: service)
        }
        // The user's consent was for one program, once.
        if request.refused != nil { cache.clear() }
        if !issued.isConsented { cache.insert(issued.reply, for: request, generation: generation, bootTime: time.bootTime) }
        return issued.reply
    }

    /// Returns the cached token for a request without suspending the caller; `nil` if ``issue(_:)`` must find it.
    ///
    /// The cache is empty while the store is locked and after every change of a session. What the cache does not learn is checked here:
    /// a sleep of the machine and a change of the configuration.
    nonisolated func cachedToken(for request: TokenRequest) -> IssuedTokenCache.CachedToken? {
        guard !storeLock.hasSlept, services.isCurrent, blocked.refusal(of: request.caller, process: request.process) == nil,
            let cached = cache.token(for: request, now: time.now, bootTime: time.bootTime)
        else { return nil }
        idle.touch()
        announceUse(of: cached.issued, by: request)
        return cached
    }

    /// Reports the use of a cached token to the observers; the store learns of it when the entry expires.
    private nonisolated func announceUse(of issued: IssuedToken, by request: TokenRequest) {
        guard observers.wantActivity else { return }
        observers.announce(.activity(Activity(at: time.now, kind: .issued, session: issued.session, message: request.issuedMessage)))
    }

    /// Throws if a blocked program asks, and reports that to the observers; the server records it.
    func refuseBlocked(_ request: TokenRequest, by service: any SessionService) async throws(AuthFailure) {
        guard let refusal = blocked.refusal(of: request.caller, process: request.process) else { return }
        guard observers.wantActivity else { throw refusal }
        let session = (try? await service.session(request.session))?.summary.name ?? request.session
        let message = UserMessage(
            "activity.no_token_for_program", ["program": request.caller ?? "phrase.a_program", "detail": refusal.message])
        observers.announce(.activity(Activity(at: time.now, kind: .tokenRefused, session: session, message: message)))
        throw refusal
    }

    /// Throws if a blocked program asks for a proof or a kept credential.
    nonisolated func refuseBlocked(_ caller: UserMessage, process: Int32?) throws(AuthFailure) {
        if let refusal = blocked.refusal(of: caller, process: process) { throw refusal }
    }

    /// Issues credentials of a role or the list of roles. If the policy is `ask`, asks the user for consent first.
    func issue<Operation: RoleOperation>(_ operation: Operation) async throws(AuthFailure) -> Operation.Reply {
        idle.touch()
        let service = try await services.current()
        try await refuseBlocked(operation.namedRequest, by: service)
        return try await withConsent(to: operation.namedRequest, by: service) { (request) throws(AuthFailure) in
            var operation = operation
            operation.request = request
            return try await service.perform(operation)
        }.reply
    }

    /// Asks the service for what a request wants. If the policy is `ask`, asks the user for consent first.
    private func withConsent<Reply: Sendable>(
        to request: TokenRequest, by service: any SessionService, perform: (TokenRequest) async throws(AuthFailure) -> Reply
    ) async throws(AuthFailure) -> (reply: Reply, isConsented: Bool) {
        func attempt(_ request: TokenRequest) async throws(AuthFailure) -> Reply {
            plan.callerWaits(for: request.session.provider)
            defer { plan.callerLeft(request.session.provider) }
            return try await perform(request)
        }
        var first = request
        // Whether an observer can answer is known only below.
        if first.asking == .service { first.asking = .caller }
        do throws(AuthFailure) {
            return (try await attempt(first), request.consent != nil)
        } catch {
            guard error.needsConsent, request.asking != .noPrompt else { throw error }
        }
        var second = request
        let answer = try await questions.consent(to: request, by: service)
        second.consent = answer?.consent
        second.witness = answer?.witness
        return (try await attempt(second), true)
    }

    /// Returns a token for something in this process that no user waits for. It is no use of the keys, so the lock after an idle time is
    /// not delayed, and no one is asked.
    public func freshToken(_ request: TokenRequest) async throws(AuthFailure) -> IssuedToken {
        var request = request
        request.asking = .noPrompt
        return try await services.current().token(request)
    }

    /// Returns a value after each change of a session or of the lock, for one reader.
    public nonisolated func changes() -> AsyncStream<Void> { changeSignal.stream() }

    /// Sets whether the agent must keep running. Does not delay the lock.
    public nonisolated func keepRunning(_ isNeeded: Bool) { idle.hold(isNeeded) }

    /// Returns a token that is about to be issued, or another one if a resource must have refused it, because the program that has it asks
    /// again. If there is no other one, the refusal may have had another reason, and the token is issued again.
    private func accepted(
        _ issued: IssuedToken, for request: TokenRequest, by service: any SessionService
    ) async throws(AuthFailure) -> IssuedToken {
        guard repeated.isRefused(issued, for: request, now: time.now, bootTime: time.bootTime) else { return issued }
        var renewal = request
        renewal.refused = issued.token
        cache.clear()
        do throws(AuthFailure) {
            let replacement = try await service.token(renewal)
            repeated.replace(with: replacement, for: request)
            return replacement
        } catch {
            return try await service.token(request)
        }
    }

    /// Returns a proof for a token, unless the caller is a blocked program.
    ///
    /// - Parameter isForwarded: whether a program on another machine asks. That does not delay the lock after an idle time.
    func proof(
        _ request: ProofRequest, for caller: UserMessage?, process: Int32?, isForwarded: Bool = false
    ) async throws(AuthFailure) -> String {
        if !isForwarded { idle.touch() }
        let service = try await services.current()
        if let refusal = blocked.refusal(of: caller, process: process) { throw refusal }
        return try await service.proof(request)
    }
}

extension OperationHandlers<AgentSessionService> {
    /// Sets the handler of an operation on a sign-in attempt: the service that began the attempt carries it out.
    fileprivate mutating func onAttempt<Operation: SessionOperation>(
        _ type: Operation.Type, _ attempt: @escaping @Sendable (Operation) -> SignInAttempt.ID
    ) {
        on(type) { agent, operation throws(AuthFailure) in
            try await agent.forward(operation, to: agent.operations[attempt(operation)])
        }
    }
}
