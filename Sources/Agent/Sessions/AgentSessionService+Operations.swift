package import AuthModel

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
        // Before it, for those who ask meanwhile, and after it.
        if rules.contains(.changesTokens) { cache.clear() }
        defer { if rules.contains(.changesTokens) { cache.clear() } }
        return try await service.perform(operation)
    }

    /// What is more than to forward.
    private static let handlers = {
        var handlers = OperationHandlers<AgentSessionService>()
        handlers.on(ListSessions.self) { agent, operation throws(AuthFailure) in agent.plan.planned(try await agent.forward(operation)) }
        handlers.on(ShowSession.self) { agent, operation throws(AuthFailure) in
            var detail = try await agent.forward(operation)
            detail.summary = agent.plan.planned(detail.summary)
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
        handlers.on(RenewSession.self) { agent, operation throws(AuthFailure) in
            agent.plan.callerWaits(for: operation.session.provider)
            defer { agent.plan.callerLeft(operation.session.provider) }
            return agent.plan.planned(try await agent.forward(operation))
        }
        handlers.on(RevokeRemoteToken.self) { agent, operation throws(AuthFailure) in
            agent.plan.planned(try await agent.forward(operation))
        }

        // An attempt and a wait for the browser stay with the service that began them: the configuration may have changed since.
        handlers.on(PasteText.self) { agent, operation throws(AuthFailure) in
            try await agent.forward(operation, to: agent.operations[operation.attempt])
        }
        handlers.on(SubmitAnswers.self) { agent, operation throws(AuthFailure) in
            try await agent.forward(operation, to: agent.operations[operation.attempt])
        }
        handlers.on(RequestDeviceCode.self) { agent, operation throws(AuthFailure) in
            try await agent.forward(operation, to: agent.operations[operation.attempt])
        }
        handlers.on(CancelSignIn.self) { agent, operation in await agent.operations[operation.attempt]?.cancel(operation.attempt) }
        handlers.on(AnswerQuestion.self) { agent, operation throws(AuthFailure) in
            try await agent.questions.answer(operation.id, allows: operation.allows, from: operation.witness)
        }
        handlers.on(EndSession.self) { agent, operation throws(AuthFailure) in
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
            let state = await agent.storeLock.seal()
            return SealReport(state: state, needsPassphrase: await (try? agent.services.lastKnown())?.needsPassphrase() ?? true)
        }
        handlers.on(UnlockStore.self) { agent, operation throws(AuthFailure) in
            try await agent.storeLock.unlock(passphrase: operation.passphrase)
            return await agent.storeLock.seal()
        }
        handlers.on(LockStore.self) { agent, _ throws(AuthFailure) in
            try await agent.storeLock.lock()
            return await agent.storeLock.seal()
        }
        return handlers
    }()

    /// Unlocks a store that needs no passphrase, unless the user locked it or the machine is about to sleep.
    package func unlockIfNoPassphraseNeeded() async throws(AuthFailure) { try await storeLock.unlockIfNoPassphraseNeeded() }

    package func deliverRevocations() async -> Timestamp? { await revocations.deliver() }

    /// Waits for the service's running operations, before the process ends.
    package func retire() async { await (try? services.lastKnown())?.retire() }

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
        return .finished(.success(plan.planned(session)))
    }
}
