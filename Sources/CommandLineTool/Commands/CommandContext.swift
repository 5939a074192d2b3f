internal import Agent
internal import AuthEngine
internal import AuthModel
internal import Localization
internal import Logging
internal import ProviderKinds
internal import SessionStore
internal import UserConfiguration

/// The context of a command: the edges, the global options, and values derived from them.
struct CommandContext: Sendable {
    private(set) var edges: Edges
    let options: GlobalOptions
    private(set) var console: Console
    let directories: Directories

    init(edges: Edges, options: GlobalOptions, console: Console) {
        self.edges = edges
        self.options = options
        self.console = console
        directories = Directories(environment: edges.environment)
        self.console = console.coloring { [self] in diagnosticsDisplay }
    }

    /// Whether logging was requested.
    var isLogging: Bool { options.logs || edges.environment["YETT_LOG"] == "debug" }

    /// Opens the log if it was requested with `--log` or `YETT_LOG=debug`, and logs all later network requests.
    mutating func beginLog() throws(AuthFailure) -> Logger? {
        guard isLogging else { return nil }
        let logger = try LogFile(directory: directories.state, time: edges.time).logger
        edges.transport = LoggedTransport(transport: edges.transport, logger: logger, time: edges.time)
        return logger
    }

    /// The current time.
    var now: Timestamp { edges.time.now }

    /// Returns the configuration file to use.
    func configurationFile() throws(AuthFailure) -> ConfigurationFile {
        try ConfigurationFile(
            option: options.configuration, environment: edges.environment, directories: directories,
            workingDirectory: edges.workingDirectory, rules: .standard)
    }

    /// Whether the user can be asked at a terminal.
    var canAsk: Bool { edges.streams.isInputTerminal && edges.streams.isDiagnosticsTerminal }

    /// Asks a question at the terminal whose default answer is no. Returns whether the answer is yes.
    func agrees(to question: String) async -> Bool {
        console.ask("\(question) [y/N]")
        return ["y", "yes"].contains(await edges.streams.line()?.trimmed.lowercased())
    }

    /// Whether the app can run as plain prompts: on request, or at a terminal that supports only lines.
    var canRunPlain: Bool { canAsk && (options.isPlain || edges.streams.isAnswerTerminal && supportsLinesOnly) }

    /// Whether the full-screen app can run.
    var canRunApp: Bool {
        !options.isPlain && edges.streams.isInputTerminal && edges.streams.isAnswerTerminal && !supportsLinesOnly
    }

    /// Whether the terminal has no cursor movement.
    var supportsLinesOnly: Bool { ["", "dumb"].contains(edges.environment["TERM"] ?? "") }
}

extension CommandContext {
    /// Returns the agent's session service, or one in this process on the user's store.
    ///
    /// - Parameters:
    ///   - creating: whether to start an agent, or create a store, if there is none. If `false`, nothing is created, and a missing store
    ///     has no sessions.
    ///   - reports: whether to warn about agent responses that could not be read. Must be false while the app uses the screen.
    func service(creating: Bool = false, reports: Bool = true) async throws(AuthFailure) -> any SessionService {
        if let own = edges.sessionService { return own }
        let choice = await SessionServiceChoice.choose(
            environment: edges.environment, disablesAgent: options.disablesAgent, home: try agentHome(),
            starter: creating ? agentStarter() : nil,
            report: { [console] in if reports { console.warning($0) } })
        switch choice {
        case .agent(let client, let status):
            // An agent of another version may lack what this version can do.
            if status.facts.version != Program.version {
                console.warning("the agent is yett \(status.facts.version), and this is yett \(Program.version)")
                console.hint("end it with: yett agent stop; the next command starts the new one")
            }
            // Most users look in the log for the network requests, which the agent makes.
            if isLogging, !status.facts.logs {
                console.warning("the agent makes the network requests, and was started without --log")
                console.hint("run: yett agent stop, then repeat this command; or add --no-agent")
            }
            return client
        case .unreachable(let failure): throw failure
        case .inProcess(let reason):
            // A signal that ends the command is no fault of the agent.
            if let reason, reason.kind != .cancelled { console.warning("working without an agent: \(reason.summary)") }
            return try await localSessionService(creating: creating)
        }
    }

    private func localSessionService(creating: Bool) async throws(AuthFailure) -> any SessionService {
        let configuration = try configurationFile().read()
        if creating, let cache = try? directories.cache { _ = isUsable(cache, for: "provider metadata is not cached") }
        let store = try await store(configuration.seal, creating: creating)
        let files = try? tokenFiles()
        // Without an agent, no other process removes the token of a session that has ended.
        return engine(configuration, store: store, recorder: creating ? activityLog() : nil) { try? files?.empty(exceptOf: $0) }
    }

    /// Returns an engine in this process on the existing store, unlocked if that needs no user; `nil` if the store stays locked or cannot
    /// be read.
    func readOnlyEngine(_ configuration: Configuration) async -> Engine? {
        guard let store = try? await store(configuration.seal, creating: false) else { return nil }
        let engine = engine(configuration, store: store)
        do throws(AuthFailure) {
            try await engine.unlockIfNoPassphraseNeeded()
            try await PassphrasePrompt(context: self).unlockFromFile(engine)
            return try await engine.storeState() == .unlocked ? engine : nil
        } catch {
            return nil
        }
    }

    /// Creates an optional private folder. Returns `false`, after a warning, if it cannot be created or other users can access it.
    func isUsable(_ folder: String, for consequence: String) -> Bool {
        do throws(AuthFailure) {
            try PrivateFile.makeDirectory(folder, isPrivate: true)
            return true
        } catch {
            console.warning("\(consequence): \(error.summary)", hint: error.hintText)
            return false
        }
    }

    /// Returns the session service with its store unlocked, by the passphrase from `YETT_PASSPHRASE_FILE` or from the user.
    ///
    /// - Parameter forNewSession: whether something will be sealed. If `false` and there is no store yet, no passphrase is asked for.
    func unlockedService(forNewSession: Bool = false) async throws(AuthFailure) -> any SessionService {
        let service = try await service(creating: true)
        // The store is on another machine, and only its user can unlock it.
        if agentLocation.remoteSocket != nil { return service }
        if !forNewSession, try await service.storeState() == .locked(isNew: true) { return service }
        try await PassphrasePrompt(context: self).unlock(service)
        return service
    }

    /// Returns an engine on a store.
    ///
    /// - Parameters:
    ///   - recorder: the recorder of activity; `nil` in the agent, which records the calling process itself.
    ///   - renewalWait: how long a caller with a token that still works waits for a renewed one; `nil` in a process that ends with its
    ///     output.
    ///   - sessionsChanged: called with the sessions after each change.
    func engine(
        _ configuration: Configuration, store: SessionStore, recorder: (any ActivityRecorder)? = nil, renewalWait: Duration? = nil,
        sessionsChanged: (@Sendable ([SessionSummary]) -> Void)? = nil
    ) -> Engine {
        var environment = EngineEnvironment(
            makeAdapter: EngineEnvironment.allKinds, transport: edges.transport, time: edges.time,
            cacheDirectory: try? directories.cache, commandEnvironment: edges.environment,
            surroundings: Surroundings(environment: edges.environment), recorder: recorder, renewalWait: renewalWait)
        environment.sessionsChanged = sessionsChanged
        environment.limits = edges.engineLimits
        environment.knowsSites = { PresetLibrary(folders: [], rules: .standard).knows(page: $1, tokens: $2, of: $0) }
        if let directory = try? directories.data {
            environment.keySource = { (seal) throws(AuthFailure) in
                try requireAllowed(seal)
                return keyChoice(seal, in: directory)
            }
        }
        return Engine(providers: configuration.providers, store: store, environment: environment)
    }

    func store(_ seal: Configuration.Seal, creating: Bool) async throws(AuthFailure) -> SessionStore {
        let directory = try directories.data
        let isThere = FileStatus.exists("\(directory)/\(SessionStore.fileName)")
        let source: KeySource = creating || isThere ? await keySource(seal, in: directory, isNew: !isThere) : .memory
        do {
            return try await SessionStore.open(
                directory: directory, source: source, time: edges.time, settings: SessionStore.Settings(bounds: edges.derivation))
        } catch {
            throw error.failure
        }
    }
}

/// The session service that a command uses: the agent's, or one in its own process.
enum SessionServiceChoice: Sendable {
    /// The session service of a running agent.
    case agent(AgentClient, AgentStatus)
    /// A session service in this process. `because` is the reason why the agent could not be used; `nil` if none was wanted.
    case inProcess(because: AuthFailure?)
    /// The forwarded socket that the environment names does not answer. Another session service would have other sessions.
    case unreachable(AuthFailure)

    /// Chooses the session service. Asks a running agent whether it has our protocol version and home. Never throws, because the service in
    /// this process is always available.
    ///
    /// - Parameters:
    ///   - disablesAgent: whether `--no-agent` was given. `YETT_NO_AGENT` in the environment has the same effect, unless it is empty or
    ///     `0`.
    ///   - starter: starts an agent if none is running; `nil` to leave it at that, so that the command works in its own process.
    ///   - report: see ``Agent/AgentClient/init(location:home:surroundings:startAgent:report:)``.
    static func choose(
        environment: [String: String], disablesAgent: Bool, home: AgentHome, starter: AgentStarter?,
        report: @escaping @Sendable (UserMessage) -> Void
    ) async -> SessionServiceChoice {
        let variable = environment["YETT_NO_AGENT"] ?? ""
        guard !disablesAgent, variable.isEmpty || variable == "0" else { return .inProcess(because: nil) }
        // The launcher has already waited for this agent.
        if let failure = LauncherAnswer.unresponsiveAgent(environment) { return .inProcess(because: failure) }
        let location = AgentLocation(environment: environment)
        if location.remoteSocket != nil { return await remote(AgentClient(location: location, home: home, report: report), location) }
        var startAgent: (@Sendable () async throws(AuthFailure) -> Void)?
        if let starter { startAgent = { () async throws(AuthFailure) in try await starter.start() } }
        let client = AgentClient(
            location: location, home: home, surroundings: Surroundings(environment: environment), startAgent: startAgent,
            report: report)
        do throws(AuthFailure) {
            if let status = try await client.status() { return .agent(client, status) }
            guard let startAgent else { return .inProcess(because: nil) }
            try await startAgent()
            // An agent of another home may have started first.
            return try await client.status().map { .agent(client, $0) } ?? .inProcess(because: nil)
        } catch {
            // Do not report an agent of another home in the same runtime folder.
            return .inProcess(because: error == AgentHome.mismatch ? nil : error)
        }
    }

    private static func remote(_ client: AgentClient, _ location: AgentLocation) async -> SessionServiceChoice {
        do throws(AuthFailure) {
            if let status = try await client.status() { return .agent(client, status) }
            return .unreachable(
                AuthFailure(
                    .unavailable(retryAfter: nil), UserMessage("agent.forwarded_socket_is_dead", ["path": location.socket]),
                    hint: UserMessage("hint.connect_again_or_unset", ["variable": AgentLocation.variable])))
        } catch {
            return .unreachable(error)
        }
    }
}

extension Result {
    /// Returns the result of an asynchronous body.
    static func of(_ body: () async throws(Failure) -> Success) async -> Result {
        do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
    }
}

extension Sequence where Element: Sendable {
    /// Returns the values of a body that runs for all elements at once, in the order of the elements.
    func concurrentMap<Value: Sendable>(_ body: @escaping @Sendable (Element) async -> Value) async -> [Value] {
        await withTaskGroup(of: (Int, Value).self) { group in
            for (index, element) in enumerated() {
                group.addTask { (index, await body(element)) }
            }
            var values: [(Int, Value)] = []
            for await value in group { values.append(value) }
            return values.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }
}
