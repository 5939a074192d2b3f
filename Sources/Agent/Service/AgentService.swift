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
        if case .route(.token, _) = Route.match(method: request.method, path: request.path) { true } else { false }
    }

    /// Answers one request. A failure is an answer too; this never throws.
    func answer(_ request: AgentRequest) async -> AgentAnswer {
        if let refusal = refusal(of: request) { return refusal }
        switch Route.match(method: request.method, path: request.path) {
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
        case .route(let route, let attempt):
            do throws(AuthFailure) {
                if !route.isAllowedWhileLocked, let obstacle = try await obstacle() { return .failure(obstacle, status: 423) }
                return try await answer(route, attempt: attempt, request)
            } catch {
                return .failure(error)
            }
        }
    }

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
            Route.match(method: request.method, path: request.path) != .route(.stop, attempt: nil)
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

    private func answer(_ route: Route, attempt: String?, _ request: AgentRequest) async throws(AuthFailure) -> AgentAnswer {
        switch route {
        case .agent: return .json(AgentStatus(facts: facts, seal: try await service.seal()).wire)
        case .description: return .document(status: 200, AgentDescription.bytes)
        case .providers: return .json(.members(("providers", try await service.providers().wire)))
        case .sessions: return .json(.members(("sessions", try await service.sessions().wire)))
        case .session: return .json(try await service.session(sessionParameter(request)).wire)
        case .token: return .json(try await issue(TokenRequest(body: request), to: request.caller).wire)
        case .adoption:
            try await adopt(request)
            return .json(.object([]))
        case .derivedCredential: return .json(.members(("credential", try await keptCredential(request)?.wire ?? .null)))
        case .derivedCredentialKeeping:
            try await keepCredential(request)
            return .json(.object([]))
        case .tokens: return .json(.members(("tokens", try await service.tokens(of: sessionParameter(request)).wire)))
        case .remoteTokens:
            return .json(.members(("tokens", try await service.remoteTokens(of: sessionParameter(request)).wire)))
        case .remoteRevocation: return .json(try await revokeRemote(request).wire)
        case .activation:
            try await activate(request)
            return .json(.object([]))
        case .proof: return .json(.members(("proof", .string(try await proof(ProofRequest(body: request), to: request.caller)))))
        case .renew: return .json(try await service.renew(named(in: request)).wire)
        case .signOut: return .json(try await signOut(request).wire)
        case .inspect: return .json(try await service.inspect(secret("token", in: request), at: provider(request)).wire)
        case .seal: return .json(SealReport(state: try await service.seal(), needsPassphrase: await service.needsPassphrase()).wire)
        case .unlock: return try await unlock(with: secret("passphrase", in: request), request.caller)
        case .lock:
            try await service.lock()
            return .json(try await service.seal().wire)
        case .events:
            if request.parameter("activity") == "false" { return .events(wires(await service.changes())) }
            let answers = request.parameter("answers") == "true"
            return .events(wires(answers ? await service.interactiveEvents() : await service.events()))
        case .answerQuestion:
            try await answerQuestion(attempt, request)
            return .json(.object([]))
        case .signIn: return try await signIn(SignInRequest(body: request))
        case .paste:
            try await service.paste(secret("text", in: request), into: SignInAttempt.ID(attempt ?? ""))
            return .json(.object([]))
        case .answer:
            let answers = try request.read { (reader) throws(WireError) in
                try reader.required("answers", SignInForm.Answers.init(wire:))
            }
            try await service.answer(answers, to: SignInAttempt.ID(attempt ?? ""))
            return .json(.object([]))
        case .details:
            guard let provider = request.parameter("provider").flatMap(ProviderName.init(_:)) else {
                throw AuthFailure(.usage, "agent.query_needs_provider", hint: "hint.use_details_query")
            }
            return .json(.members(("details", try await service.details(of: provider)?.wire ?? .null)))
        case .deviceCode:
            try await service.requestDeviceCode(for: SignInAttempt.ID(attempt ?? ""))
            return .json(.object([]))
        case .cancel:
            await service.cancel(SignInAttempt.ID(attempt ?? ""))
            return .json(.object([]))
        case .browserReturn: return .json(try await service.browserReturn(BrowserReturn.ID(attempt ?? "")).wire)
        case .stopWaiting:
            await service.stopWaiting(for: BrowserReturn.ID(attempt ?? ""))
            return .json(.object([]))
        case .registration:
            try await service.keep(ClientManagement(body: request))
            return .json(.object([]))
        case .unregistration: return .json(.members(("removed", .bool(try await unregister(request)))))
        case .activity: return .json(.members(("activity", try log.recent(limit(request)).wire)))
        case .command: return .output(try await run(LauncherCommand(body: request), for: request))
        case .stop:
            // End the sessions that end with the agent before the caller gets its answer.
            await service.endProcessSessions()
            stop()
            return .json(.object([]))
        }
    }

    private func answerQuestion(_ id: String?, _ request: AgentRequest) async throws(AuthFailure) {
        let allows = try request.read { (reader) throws(WireError) in try reader.flag("allow") }
        let caller = request.caller
        let witness = ConsentConfirmation(program: caller.program.map(UserMessage.verbatim) ?? "phrase.a_program", process: caller.process)
        try await service.answerQuestion(TokenConsentRequest.ID(id ?? ""), allows: allows, from: witness)
    }

    private func adopt(_ request: AgentRequest) async throws(AuthFailure) {
        let (token, old, name, resource) = try request.read { (reader) throws(WireError) in
            (
                Secret(try reader.text("token")), Secret(try reader.text("in_place_of")), try reader.session(),
                try reader.required("resource") { $0.string.flatMap(WebURL.init) }
            )
        }
        try await service.adopt(token, inPlaceOf: old, in: name, from: resource)
    }

    private func activate(_ request: AgentRequest) async throws(AuthFailure) {
        let (provider, account) = try request.read { (reader) throws(WireError) in
            (try reader.provider(), try reader.optionalText("account"))
        }
        try await service.activate(account, at: provider)
    }

    private func signOut(_ request: AgentRequest) async throws(AuthFailure) -> SignOutReceipt {
        let (name, mode) = try request.read { (reader) throws(WireError) in
            (try reader.session(), reader.value("mode") == nil ? SignOutMode.revoke : try reader.nested("mode"))
        }
        return try await service.signOut(name, mode: mode)
    }

    private func revokeRemote(_ request: AgentRequest) async throws(AuthFailure) -> SessionSummary {
        let (name, id) = try request.read { (reader) throws(WireError) in (try reader.session(), try reader.text("id")) }
        return try await service.revokeRemoteToken(id, of: name)
    }

    private func unregister(_ request: AgentRequest) async throws(AuthFailure) -> Bool {
        let (clientID, issuer, caFile) = try request.read { (reader) throws(WireError) in
            (try reader.text("client_id"), try reader.issuer(), try reader.optionalText("ca_file"))
        }
        return try await service.unregister(clientID, at: issuer, caFile: caFile)
    }

    /// Sends the attempt's id first, then its events. If the reader disconnects, the attempt is cancelled.
    private func signIn(_ request: SignInRequest) async throws(AuthFailure) -> AgentAnswer {
        let attempt = try await service.signIn(request)
        let begun = JSONValue.members(("type", "begun"), ("attempt", .string(attempt.id.text)))
        return .events(wires(attempt.events, after: begun))
    }

    /// Encodes the events one by one, as the reader takes them.
    private func wires<Event: WireValue>(_ events: AsyncStream<Event>, after first: JSONValue? = nil) -> AsyncStream<JSONValue> {
        let (stream, continuation) = AsyncStream.makeStream(of: JSONValue.self)
        let task = Task {
            if let first { continuation.yield(first) }
            for await event in events { continuation.yield(event.wire) }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    private func named(in request: AgentRequest) throws(AuthFailure) -> SessionName {
        try request.read { (reader) throws(WireError) in try reader.session() }
    }

    private func secret(_ name: String, in request: AgentRequest) throws(AuthFailure) -> Secret {
        try request.read { (reader) throws(WireError) in Secret(try reader.text(name)) }
    }

    private func provider(_ request: AgentRequest) throws(AuthFailure) -> ProviderName? {
        try request.read { (reader) throws(WireError) in
            try reader.optional("provider") { $0.string.flatMap { ProviderName($0) } }
        }
    }

    private func sessionParameter(_ request: AgentRequest) throws(AuthFailure) -> SessionName {
        guard let name = request.parameter("name").flatMap(SessionName.init(_:)) else {
            throw AuthFailure(.usage, "agent.query_needs_session", hint: "hint.use_session_query")
        }
        return name
    }

    private func limit(_ request: AgentRequest) throws(AuthFailure) -> Int {
        guard let text = request.parameter("limit") else { return ActivityLog.limit }
        guard let limit = Int(text), (1...ActivityLog.limit).contains(limit) else {
            throw AuthFailure(.usage, UserMessage("agent.limit_out_of_range", ["limit": ActivityLog.limit]))
        }
        return limit
    }
}
