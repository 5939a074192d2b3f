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
        let absence: SessionServiceChoice.Absence = creating ? agentStarter().map { .start($0) } ?? .leave : .leave
        let choice = await SessionServiceChoice.choose(
            environment: edges.environment, disablesAgent: options.disablesAgent, home: try agentHome(), absence: absence,
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
        return service(configuration, store: store, recorder: creating ? activityLog() : nil) { try? files?.empty(exceptOf: $0) }
    }

    /// Returns an engine in this process on the existing store, unlocked if that needs no user; `nil` if the store stays locked or cannot
    /// be read.
    func readOnlyEngine(_ configuration: Configuration) async -> Engine? {
        guard let store = try? await store(configuration.seal, creating: false) else { return nil }
        let engine = service(configuration, store: store)
        do throws(AuthFailure) {
            try await engine.unlockIfNoPassphraseNeeded()
            try await PassphrasePrompt(context: self).unlockFromFile(engine)
            return try await engine.seal() == .unlocked ? engine : nil
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
            console.warning("\(consequence): \(error.summary)")
            if let hint = error.hintText { console.hint(hint) }
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
        if !forNewSession, try await service.seal() == .locked(isNew: true) { return service }
        try await PassphrasePrompt(context: self).unlock(service)
        return service
    }

    /// Returns an engine on a store.
    ///
    /// - Parameters:
    ///   - recorder: the recorder of activity; `nil` in the agent, which records the calling process itself.
    ///   - patience: how long a caller with a token that still works waits for a renewed one; `nil` in a process that ends with its output.
    ///   - sessionsChanged: called with the sessions after each change.
    func service(
        _ configuration: Configuration, store: SessionStore, recorder: (any ActivityRecorder)? = nil, patience: Duration? = nil,
        sessionsChanged: (@Sendable ([SessionSummary]) -> Void)? = nil
    ) -> Engine {
        var environment = EngineEnvironment(
            makeAdapter: EngineEnvironment.allKinds, transport: edges.transport, time: edges.time,
            cacheDirectory: try? directories.cache, commandEnvironment: edges.environment,
            userEnvironment: SignInEnvironment(environment: edges.environment), recorder: recorder, patience: patience)
        environment.sessionsChanged = sessionsChanged
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

extension CommandContext {
    /// The keyring of the user's desktop.
    var keyring: SecretServiceKey { SecretServiceKey(environment: edges.environment, time: edges.time) }

    /// Returns the source of the key for the store in `directory`.
    ///
    /// `auto` uses the source of an existing store. A new store is sealed by the keyring if there is one and it is unlocked, otherwise by a
    /// key file. Prints a warning if there is a keyring that cannot be used.
    func keySource(_ seal: Configuration.Seal, in directory: String, isNew: Bool) async -> KeySource {
        let keyFile = KeyFile(path: "\(directory)/sessions.key")
        switch seal {
        case .passphrase: return .passphrase
        case .secretService: return .storage(keyring)
        case .keyFile: return .storage(keyFile)
        case .memory: return .memory
        case .auto:
            guard isNew else { return .automatic([keyFile, keyring]) }
            let trouble = await keyring.trouble()
            guard let trouble else { return .automatic([keyring, keyFile]) }
            if trouble.isObstacle {
                console.warning("the new store is sealed by a key file: \(StoreError(.keyring(trouble)).failure.summary)")
            }
            return .automatic([keyFile, keyring])
        }
    }
}

extension KeyringFailure {
    /// Whether the machine has a keyring that this failure makes unusable; `false` if it has no keyring, which is a normal setup.
    var isObstacle: Bool {
        switch self {
        case .locked, .noAnswer, .failed, .keyLost, .wrongKey: true
        case .noLibrary(_, let isMissing): !isMissing
        case .noBus, .noService, .noCollection: false
        }
    }
}
