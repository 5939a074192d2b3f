import AuthModel

/// Answers requests with a session service: the protocol without connections.
struct AgentService: Sendable {
    let service: any SessionService
    let facts: AgentFacts
    let log: ActivityLog
    let time: any TimeSource
    /// Asks the agent to end.
    let stop: @Sendable () -> Void
    let unlocking: UnlockGate
    /// Runs the launcher's commands; `nil` if the full program has to run them all.
    let runCommand: LauncherCommand.Runner?
    let uses: IssuedTokenLog
    let knownRequests = TokenRequestMemo()

    init(
        service: any SessionService, facts: AgentFacts, log: ActivityLog, time: any TimeSource,
        runCommand: LauncherCommand.Runner? = nil, stop: @escaping @Sendable () -> Void
    ) {
        self.runCommand = runCommand
        self.service = service
        self.facts = facts
        self.log = log
        self.time = time
        self.stop = stop
        unlocking = UnlockGate(time: time)
        uses = IssuedTokenLog(log: log)
    }

    /// Returns whether the answer is usually ready at once, without a long computation or a blocking wait.
    func isAnsweredOnLoop(_ request: AgentRequest) -> Bool {
        request.path == IssueToken.route.path && request.method == IssueToken.route.method.rawValue
    }

    /// Answers one request. A failure is an answer too; this never throws.
    func answer(_ request: AgentRequest) async -> AgentAnswer {
        if let refusal = refusal(of: request) { return refusal }
        switch AgentRouter.shared.match(method: request.method, path: request.path) {
        case .unknown:
            return .failure(AuthFailure(.usage, "agent.no_such_path", hint: "hint.see_openapi"), status: 404)
        case .wrongMethod(let allowed):
            return .failure(
                AuthFailure(
                    .usage,
                    UserMessage(
                        "agent.method_not_accepted",
                        ["allowed": UserMessage.list(allowed.map(UserMessage.verbatim), by: .or), "method": Self.word(request.method)])),
                status: 405)
        case .entry(let entry, let variable):
            do throws(AuthFailure) {
                if !entry.route.rules.contains(.worksWhileLocked), let obstacle = try await obstacle() {
                    return .failure(obstacle, status: 423)
                }
                return try await entry.answer(self, request, request.members(of: entry.route, variable: variable))
            } catch {
                return .failure(error)
            }
        }
    }

    /// Has an operation carried out for a process.
    func perform<Operation: SessionOperation>(
        _ operation: Operation, for caller: Caller
    ) async throws(AuthFailure) -> Operation.Reply {
        guard let handler = Self.handlers[Operation.self] else { return try await service.perform(operation) }
        return try await handler(Call(service: self, caller: caller), operation)
    }

    /// An operation is asked of the service by a process.
    private struct Call: Sendable {
        let service: AgentService
        let caller: Caller
    }

    /// The operations whose caller counts.
    private static let handlers = {
        var handlers = OperationHandlers<Call>()
        handlers.on(IssueToken.self) { call, operation throws(AuthFailure) in
            try await call.service.issue(operation.request, to: call.caller)
        }
        handlers.on(CreateProof.self) { call, operation throws(AuthFailure) in
            try await call.service.proof(operation.request, to: call.caller)
        }
        handlers.on(ReadDerivedCredential.self) { call, operation throws(AuthFailure) in
            try await call.service.keptCredential(operation, for: call.caller)
        }
        handlers.on(UnlockStore.self) { call, operation throws(AuthFailure) in
            try await call.service.unlock(with: operation, for: call.caller)
        }
        handlers.on(AnswerQuestion.self) { call, operation throws(AuthFailure) in
            var operation = operation
            operation.witness = ConsentConfirmation(
                program: call.caller.program.map(UserMessage.verbatim) ?? "phrase.a_program", process: call.caller.process)
            try await call.service.service.perform(operation)
        }
        return handlers
    }()

    /// Returns why the store has no keys; `nil` if it is unlocked or could be unlocked now. Without a store no key is missing: there is no
    /// session, and a sign-in reports what it needs.
    func obstacle() async throws(AuthFailure) -> AuthFailure? {
        guard try await service.seal() == .locked(isNew: false) else { return nil }
        do throws(AuthFailure) { try await service.unlockIfNoPassphraseNeeded() } catch { return error }
        guard try await service.seal() != .unlocked else { return nil }
        return AuthFailure(.configuration, "store.locked", hint: "hint.unlock_store_with_agent")
    }

    /// Returns the refusal of a request that is not for this agent: it has another protocol version or another home.
    func refusal(of request: AgentRequest) -> AgentAnswer? {
        if let version = request.protocolVersion, version != Self.version,
            // A client with another protocol version may still stop this agent, as its hint says.
            request.method != OperationRoute.stop.method.rawValue || request.path != OperationRoute.stop.path
        {
            return .failure(
                AuthFailure(
                    .configuration,
                    UserMessage(
                        "agent.protocol_version_differs",
                        ["supported_version": AgentProtocol.version, "requested_version": Self.word(version)]),
                    hint: "hint.stop_old_agent"), status: 505)
        }
        let isOurs =
            (request.store ?? facts.home.store) == facts.home.store
            && (request.configuration ?? facts.home.configuration) == facts.home.configuration
        guard !isOurs else { return nil }
        return .failure(Self.otherHome, status: 421)
    }

    private static let version = String(AgentProtocol.version)

    static let otherHome = AuthFailure(
        .configuration, "agent.serves_another_home", hint: "hint.use_no_agent_or_runtime_dir")

    /// Returns text from outside, made safe for a message.
    private static func word(_ text: String) -> String {
        let word = text.prefix(bytes: 16)
        return word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == ".") } ? word : "that"
    }

    // MARK: Unlocking

    /// Unlocks the store with a passphrase, when it is the caller's turn to try.
    private func unlock(with operation: UnlockStore, for caller: Caller) async throws(AuthFailure) -> SealState {
        guard try await service.seal() != .unlocked else { return .unlocked }
        let attempt: UnlockThrottle.Attempt
        switch await unlocking.turn(of: caller) {
        case .turn(let own): attempt = own
        case .refused(let pause):
            throw AuthFailure(
                .unavailable(retryAfter: pause), UserMessage(UnlockGate.busy),
                hint: UserMessage("hint.try_again_in_seconds", ["seconds": max(1, pause.wholeSeconds)]))
        case .cancelled: throw AuthFailure(.cancelled, "process.cancelled")
        }
        do throws(AuthFailure) {
            // Another caller may have unlocked the store meanwhile.
            if try await service.seal() != .unlocked { _ = try await service.perform(operation) }
        } catch {
            await unlocking.end(attempt, wasRight: false)
            throw error
        }
        await unlocking.end(attempt, wasRight: true)
        return try await service.seal()
    }
}
