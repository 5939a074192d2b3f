import AuthModel

/// Answers requests with a session service: the protocol without connections.
struct AgentService: Sendable {
    let sessionService: any SessionService
    /// The same service, if it keeps issued tokens in memory and knows the blocked programs, as that of a running agent does.
    private let agentSessionService: AgentSessionService?
    let facts: AgentFacts
    let log: ActivityLog
    let time: any TimeSource
    /// Asks the agent to end.
    let stop: @Sendable () -> Void
    let unlocking: UnlockQueue
    /// Runs the launcher's commands; `nil` if the full program has to run them all.
    let runCommand: LauncherCommand.Runner?
    let uses: IssuedTokenLog
    let knownRequests = TokenRequestMemo()

    init(
        service: any SessionService, facts: AgentFacts, log: ActivityLog, time: any TimeSource,
        runCommand: LauncherCommand.Runner? = nil, stop: @escaping @Sendable () -> Void
    ) {
        self.runCommand = runCommand
        sessionService = service
        agentSessionService = service as? AgentSessionService
        self.facts = facts
        self.log = log
        self.time = time
        self.stop = stop
        unlocking = UnlockQueue(time: time)
        uses = IssuedTokenLog(log: log)
    }

    /// Has an operation carried out for a process.
    func perform<Operation: SessionOperation>(
        _ operation: Operation, for caller: Caller
    ) async throws(AuthFailure) -> Operation.Reply {
        guard let handler = Self.handlers[Operation.self] else { return try await sessionService.perform(operation) }
        return try await handler(Call(service: self, caller: caller), operation)
    }

    /// The service, and the process that calls it.
    private struct Call: Sendable {
        let service: AgentService
        let caller: Caller

        /// The process, for records of what it asked or confirmed.
        var process: RequestingProcess {
            RequestingProcess(program: caller.program.map(UserMessage.verbatim) ?? "phrase.a_program", process: caller.process)
        }
    }

    /// The operations that depend on the calling process.
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
        handlers.on(ListRoles.self) { call, operation throws(AuthFailure) in
            try await call.service.issue(operation, to: call.caller)
        }
        handlers.on(IssueRoleCredentials.self) { call, operation throws(AuthFailure) in
            try await call.service.issue(operation, to: call.caller)
        }
        handlers.on(UnlockStore.self) { call, operation throws(AuthFailure) in
            try await call.service.unlock(with: operation, for: call.caller)
        }
        handlers.on(ChangeSeal.self) { call, operation throws(AuthFailure) in
            var operation = operation
            operation.requester = call.process
            return try await call.service.changeSeal(operation, for: call.caller)
        }
        handlers.on(AnswerQuestion.self) { call, operation throws(AuthFailure) in
            var operation = operation
            operation.witness = call.process
            try await call.service.sessionService.perform(operation)
        }
        return handlers
    }()

    /// Returns the refusal of a request that is not for this agent: it has another protocol version or another home.
    func refusal(of request: AgentRequest) -> AgentResponse? {
        if let version = request.protocolVersion, version != Self.version,
            // A client with another protocol version may still stop this agent, as its hint says.
            request.method != OperationRoute.stop.method.rawValue || request.path != OperationRoute.stop.path
        {
            return .failure(
                AuthFailure(
                    .configuration,
                    UserMessage(
                        "agent.protocol_version_differs",
                        ["supported_version": AgentProtocol.version, "requested_version": Self.safeWord(version)]),
                    hint: "hint.stop_old_agent"), status: 505)
        }
        let isOurs =
            (request.store ?? facts.home.store) == facts.home.store
            && (request.configuration ?? facts.home.configuration) == facts.home.configuration
        guard !isOurs else { return nil }
        return .failure(AgentHome.mismatch, status: 421)
    }

    private static let version = String(AgentProtocol.version)

    /// Returns text from outside, made safe for a message.
    static func safeWord(_ text: String) -> String {
        let word = text.prefix(bytes: 16)
        return word.utf8.allSatisfy { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: ".") } ? word : "that"
    }
}

/// Token requests, answered from memory where possible, and their record in the activity log.
extension AgentService {
    /// Answers a request for a token that is in the cache, without suspending the caller; `nil` for every other request, which
    /// ``answer(_:)`` answers.
    ///
    /// Each use is recorded in the activity log as any other.
    func cachedAnswer(_ request: AgentRequest) -> AgentResponse? {
        guard let agentSessionService, request.method == "POST", request.target == Self.tokenPath, refusal(of: request) == nil,
            var wanted = knownRequests.request(in: request.body)
        else { return nil }
        let program = request.caller.program
        wanted.caller = request.caller.message(program)
        wanted.process = request.caller.process
        guard let cached = agentSessionService.cachedToken(for: wanted) else { return nil }
        uses.record(cached.issued.session, for: wanted, to: request.caller, program: program, at: time.now)
        return .document(status: 200, cached.document)
    }

    private static let tokenPath = IssueToken.route.path

    /// Runs a command for the launcher. The command uses this service as a client with the launcher's identity, so that every check and
    /// record is the same as if it had asked over the socket.
    func run(_ command: LauncherCommand, for request: AgentRequest) async throws(AuthFailure) -> LauncherCommand.Output {
        // Another version may print something else.
        guard let runCommand, (request.programVersion ?? facts.version) == facts.version else { throw LauncherCommand.needsProgram }
        return try await runCommand(command, AgentClient(service: self, caller: request.caller))
    }

    /// Issues a token and records which process got it.
    ///
    /// - Parameter application: what the caller calls itself, for the records only; on one line.
    func issue(_ request: TokenRequest, to caller: Caller, for application: String? = nil) async throws(AuthFailure) -> IssuedToken {
        var (caller, program) = (caller, caller.program)
        var message = caller.message(program, for: application)
        if let client = caller.client(request.client), let tool = client.tool {
            // A program that may not ask may not have another one ask for it.
            try await refuseBlocked(caller, for: request.session)
            (caller, program, message) = (client, tool.path, tool.message)
        }
        var request = request
        request.caller = message
        request.process = caller.process
        let issued: IssuedToken
        do throws(AuthFailure) {
            issued = try await sessionService.token(request)
        } catch {
            if error.isFinalRefusal(request) { await recordRefusal(error, of: request.session, to: caller, called: message) }
            throw error
        }
        uses.record(issued.session, for: request, to: caller, program: program, at: time.now)
        return issued
    }

    /// Throws if a caller is blocked, and records that.
    private func refuseBlocked(_ caller: Caller, for session: SessionName) async throws(AuthFailure) {
        do throws(AuthFailure) {
            try agentSessionService?.refuseBlocked(caller.message, process: caller.process)
        } catch {
            await recordRefusal(error, of: session, to: caller)
            throw error
        }
    }

    /// Issues credentials of a role or the list of roles, and records which process got it, or a refusal.
    func issue<Operation: RoleOperation>(_ operation: Operation, to caller: Caller) async throws(AuthFailure) -> Operation.Reply {
        var operation = operation
        operation.request.caller = caller.message
        operation.request.process = caller.process
        let wanted = operation.namedRequest
        operation.request = wanted
        let reply: Operation.Reply
        do throws(AuthFailure) {
            reply = try await sessionService.perform(operation)
        } catch {
            if error.isFinalRefusal(wanted) { await recordRefusal(error, of: wanted.session, to: caller) }
            throw error
        }
        await record(Activity(at: time.now, kind: .issued, session: wanted.session, message: wanted.issuedMessage), of: caller)
        return reply
    }

    /// Returns a kept credential and records which process got it; `nil` if there is none.
    func keptCredential(_ operation: ReadDerivedCredential, for caller: Caller) async throws(AuthFailure) -> DerivedCredential? {
        var operation = operation
        operation.request.caller = caller.message
        operation.request.process = caller.process
        let wanted = operation.request
        let kept: DerivedCredential?
        do throws(AuthFailure) {
            kept = try await sessionService.perform(operation)
        } catch {
            if error.isTokenRefusal { await recordRefusal(error, of: wanted.session, to: caller) }
            throw error
        }
        if kept != nil {
            await record(Activity(at: time.now, kind: .issued, session: wanted.session, message: wanted.keptCredentialMessage), of: caller)
        }
        return kept
    }

    /// Returns a proof for a token, and records a refusal.
    ///
    /// - Parameter isForwarded: whether a program on another machine asks.
    func proof(_ request: ProofRequest, to caller: Caller, isForwarded: Bool = false) async throws(AuthFailure) -> String {
        do throws(AuthFailure) {
            guard let agentSessionService else { return try await sessionService.proof(request) }
            return try await agentSessionService.proof(request, for: caller.message, process: caller.process, isForwarded: isForwarded)
        } catch {
            if error.isTokenRefusal || error.needsConsent {
                let message = UserMessage("activity.no_proof_for_caller", ["caller": caller.message, "detail": error.message])
                await record(Activity(at: time.now, kind: .tokenRefused, session: request.session, message: message), of: caller)
            }
            throw error
        }
    }

    /// Records that a process got no token, credential or role.
    ///
    /// - Parameter name: what the process is called in the record; `nil` for its program.
    private func recordRefusal(
        _ failure: AuthFailure, of session: SessionName, to caller: Caller, called name: UserMessage? = nil
    ) async {
        let message = UserMessage("activity.no_token_for_program", ["program": name ?? caller.message, "detail": failure.message])
        await record(Activity(at: time.now, kind: .tokenRefused, session: session, message: message), of: caller)
    }

    private func record(_ activity: Activity, of caller: Caller) async {
        var activity = activity
        // Record the session with its account, as in other entries.
        if let session = activity.session, session.account == nil {
            let named = (try? await sessionService.sessions())?.map(\.name).filter { $0.provider == session.provider } ?? []
            if named.count == 1 { activity.session = named[0] }
        }
        uses.record(activity, of: caller, program: caller.program)
    }
}
