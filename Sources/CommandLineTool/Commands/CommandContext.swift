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
    ///   - renewalWait: how long a caller with a token that still works waits for a renewed one; `nil` in a process that ends with its output.
    ///   - sessionsChanged: called with the sessions after each change.
    func engine(
        _ configuration: Configuration, store: SessionStore, recorder: (any ActivityRecorder)? = nil, renewalWait: Duration? = nil,
        sessionsChanged: (@Sendable ([SessionSummary]) -> Void)? = nil
    ) -> Engine {
        var environment = EngineEnvironment(
            makeAdapter: EngineEnvironment.allKinds, transport: edges.transport, time: edges.time,
            cacheDirectory: try? directories.cache, commandEnvironment: edges.environment,
            userEnvironment: SignInEnvironment(environment: edges.environment), recorder: recorder, renewalWait: renewalWait)
        environment.sessionsChanged = sessionsChanged
        environment.deviceCodeDelay = edges.deviceCodeDelay
        environment.signOutLimit = edges.signOutLimit
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

extension CommandContext {
    /// The keyring of the user's desktop.
    var keyring: SecretServiceKey { SecretServiceKey(environment: edges.environment, time: edges.time) }

    /// The key that systemd seals to this machine and user.
    var systemCredential: SystemCredentialKey { SystemCredentialKey(location: edges.systemCredentials) }

    /// The security keys that are plugged in.
    var securityKey: SecurityKey { SecurityKey(location: edges.securityKeys) }

    private func keyFile(in directory: String) -> KeyFile { KeyFile(path: "\(directory)/sessions.key") }

    /// Throws unless the configuration accepts a store with that seal. The agent's other callers are bound by it as `yett seal` is, which
    /// sets `auto` first.
    private func requireAllowed(_ seal: Seal) throws(AuthFailure) {
        let loaded = try configurationFile().load()
        try loaded.requireUnlockedSeal()
        let configured = loaded.configuration.seal
        guard configured != .auto, configured.rawValue != seal.rawValue else { return }
        throw AuthFailure(
            .configuration,
            text: "seal is \"\(configured.rawValue)\" in the configuration, which does not allow \(seal.rawValue)",
            hint: "change both with: yett seal \(ShellWord(seal.rawValue))")
    }

    /// Returns the source of the key for a seal that the user chooses, and the storages that may have an older key; `nil` for a store in
    /// memory.
    func keyChoice(_ seal: Seal, in directory: String) -> (source: KeySource, others: [any KeyStorage])? {
        let keyFile = keyFile(in: directory)
        return switch seal {
        case .passphrase: (.passphrase, [keyFile, keyring])
        case .secretService: (.storage(keyring), [keyFile])
        case .system: (.storage(systemCredential), [keyFile, keyring])
        case .securityKey: (.storage(securityKey), [keyFile, keyring])
        case .keyFile: (.storage(keyFile), [keyring])
        case .memory: nil
        }
    }

    /// Returns the source of the key for the store in `directory`.
    ///
    /// `auto` uses the source of an existing store. A new store is sealed by the keyring if there is one and it is unlocked, otherwise by
    /// systemd's service if it works, otherwise by a key file. Prints a warning if there is a keyring or a service that cannot be used.
    func keySource(_ seal: Configuration.Seal, in directory: String, isNew: Bool) async -> KeySource {
        let keyFile = keyFile(in: directory)
        switch seal {
        case .passphrase: return .passphrase
        case .secretService: return .storage(keyring)
        case .system: return .storage(systemCredential)
        case .securityKey: return .storage(securityKey)
        case .keyFile: return .storage(keyFile)
        case .memory: return .memory
        case .auto:
            guard isNew else { return .automatic([keyFile, keyring, systemCredential, securityKey]) }
            guard let keyringTrouble = await keyring.trouble() else {
                return .automatic([keyring, systemCredential, keyFile, securityKey])
            }
            let systemTrouble = await systemCredential.trouble()
            let way = systemTrouble == nil ? "systemd to this machine" : "a key file"
            if keyringTrouble.isObstacle {
                console.warning("the new store is sealed by \(way): \(StoreError(.keyring(keyringTrouble)).failure.summary)")
            }
            guard let systemTrouble else { return .automatic([systemCredential, keyring, keyFile, securityKey]) }
            if systemTrouble.isObstacle {
                console.warning("the new store is sealed by \(way): \(StoreError(.systemKey(systemTrouble)).failure.summary)")
            }
            return .automatic([keyFile, keyring, systemCredential, securityKey])
        }
    }
}

extension SystemCredentialFailure {
    /// Whether the machine has systemd's service and this failure makes it unusable; `false` if it has none, which is a normal setup.
    var isObstacle: Bool {
        if case .noService = self { false } else { true }
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
