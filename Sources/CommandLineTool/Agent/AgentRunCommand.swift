internal import Agent
internal import ArgumentParser
internal import AuthEngine
internal import AuthModel
internal import Glibc
internal import Localization
internal import OperatingSystem
internal import SessionStore
internal import Synchronization
internal import UserConfiguration

/// `yett agent run`: runs the agent in this process until it is asked to exit.
struct AgentRunCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run the agent in the foreground.",
        discussion: "Other commands and systemd start this. SIGTERM, SIGINT and SIGHUP stop it cleanly.")
    static let examples: KeyValuePairs = ["yett agent run": "Runs the agent until Ctrl-C."]

    func run(in context: CommandContext) async throws {
        try forbidCores()
        // The agent lives long and must not keep a folder's file system from being unmounted.
        _ = chdir("/")
        let log = context.activityLog()
        let (forwarded, oidcAgent) = (ForwardedSessions([]), OIDCAgentSetting())
        var agent = AgentRun(
            location: context.agentLocation,
            facts: AgentFacts(
                version: Program.version, home: try context.agentHome(), startedAt: context.now, logs: context.isLogging,
                // A path that is relative is below the root, where the agent runs.
                trustedFiles: context.trustedFiles.map { $0.hasPrefix("/") ? $0 : "/" + $0 }
                    + [try? context.directories.cache].compactMap(\.self)),
            environment: context.edges.environment, log: log, time: context.edges.time,
            runCommand: LauncherCommandRunner(context: context).run,
            program: context.edges.agentProgram.flatMap { path in
                AgentProgram(path: path, arguments: Array(ProcessEnvironment.arguments.dropFirst()))
            })
        agent.forwarded = forwarded
        let (files, time) = (try context.tokenFiles(), context.edges.time)
        agent.backgroundWork = { service in await TokenFileUpdater(files, source: AgentTokenSource(service: service), time: time).run() }
        // The files are there only while the agent keeps them fresh, and can remove them after a lock.
        agent.stopped = { try? files.empty() }
        agent.oidcAgent = oidcAgent
        agent.warn = { failure in
            context.console.warning(UserMessage("agent.no_oidc_agent_socket", ["detail": failure.message]))
            if let hint = failure.hintText { context.console.hint(hint) }
        }
        try await agent.run { () async throws(AuthFailure) in
            let service = try await context.agentSessionService(log: log, forwarded: forwarded, oidcAgent: oidcAgent)
            try await PassphrasePrompt(context: context).unlockFromFile(service)
            return service
        }
    }

    /// Turns off core files for this process and the hooks that it starts, because the hooks also know who is signed in where.
    private func forbidCores() throws(AuthFailure) {
        do {
            try ProcessMemory.disableCoreFilesPermanently()
        } catch {
            throw AuthFailure(.security, text: "cannot turn off core files: \(SystemError(number: error.number).text)")
        }
    }
}

extension CommandContext {
    /// The location of the user's agent.
    var agentLocation: AgentLocation { AgentLocation(environment: edges.environment) }

    /// Returns the store and configuration that this command uses.
    func agentHome() throws(AuthFailure) -> AgentHome {
        let configuration = try configurationFile().path
        return AgentHome(store: try directories.data, configuration: configuration)
    }

    /// The files that this process trusts, besides those that the configuration names: its program, with a new one of which the agent
    /// continues, and the certificates by which providers are known.
    var trustedFiles: [String] {
        let folders = edges.environment["SSL_CERT_DIR"]?.split(separator: ":").map(String.init) ?? []
        let files = [edges.ownProgram, edges.agentProgram, edges.environment["SSL_CERT_FILE"]].compactMap(\.self)
        return (files + folders).filter { !$0.isEmpty }
    }

    /// Returns a client of the agent. Starts no agent.
    func agentClient() throws(AuthFailure) -> AgentClient {
        AgentClient(
            location: agentLocation, home: try agentHome(), surroundings: Surroundings(environment: edges.environment))
    }

    /// Returns the user and the machine whose sessions this machine uses: `ada@laptop`; `nil` if they are this machine's own.
    func remoteOwner() async -> String? {
        guard agentLocation.remoteSocket != nil else { return nil }
        return try? await agentClient().status()?.forwardedBy
    }

    /// Returns a starter that runs this program again as the agent; `nil` if this process's program cannot be an agent.
    func agentStarter() -> AgentStarter? {
        edges.agentProgram.map {
            AgentStarter(
                program: $0, configuration: options.configuration, logs: isLogging, environment: edges.environment, location: agentLocation)
        }
    }

    /// Returns the activity log; one that records nothing if its folder cannot be created.
    func activityLog() -> ActivityLog {
        guard let folder = try? directories.state else { return ActivityLog(folder: nil) }
        return ActivityLog(folder: isUsable(folder, for: "nothing is recorded in the activity log") ? folder : nil)
    }

    /// The time for which a caller with a valid token waits for a slow provider.
    private static let renewalWait = Duration.seconds(2)

    /// Returns the agent's session service: on one store, with the providers in the configuration file at any time.
    func agentSessionService(
        log: ActivityLog, forwarded: ForwardedSessions, oidcAgent: OIDCAgentSetting
    ) async throws(AuthFailure) -> AgentSessionService {
        let file = try configurationFile()
        let configuration = try file.read()
        forwarded.set(configuration)
        oidcAgent.set(configuration.agent.servesOIDCAgent)
        let blocked = BlockedPrograms(configuration.agent.blockedPrograms)
        let store = try await store(configuration.seal, creating: true)
        // One engine for the agent's lifetime: its renewals under way, and responses that are not yet sealed, must survive a change of the
        // configuration.
        let engine = engine(configuration, store: store, renewalWait: Self.renewalWait)
        let paths = file.paths
        let storeFile = "\(try directories.data)/\(SessionStore.fileName)"
        let source = SessionServiceSource(
            // A store that replaced another one has other sessions, so no token of the old one is issued from memory.
            revision: { paths.flatMap(FileRevision.numbers) + FileRevision.identity(storeFile) },
            make: { () async throws(AuthFailure) in
                let configuration = try file.read()
                await choose(configuration.seal, for: store)
                forwarded.set(configuration)
                oidcAgent.set(configuration.agent.servesOIDCAgent)
                blocked.set(configuration.agent.blockedPrograms)
                engine.configure(configuration.providers)
                return engine
            })
        let announcer = NotificationRunner(
            hook: configuration.agent.hook, notifies: configuration.agent.notifies, environment: edges.environment, time: edges.time)
        return AgentSessionService(
            source: source, log: log, time: edges.time, idleLimit: configuration.agent.lockAfter,
            exitLimit: configuration.agent.idleExit, announcer: announcer, suspension: SuspensionClock.system, blocked: blocked,
            reopening: { store.seal.reopening })
    }

    /// Has a store that does not exist, or was removed, created with the seal that a new one has. One in memory needs a new agent.
    private func choose(_ seal: Configuration.Seal, for store: SessionStore) async {
        guard seal != .memory, store.storeState == .locked(isNew: true), let directory = store.directory else { return }
        store.setSource(ofNewStore: await keySource(seal, in: directory, isNew: true))
    }
}

extension ForwardedSessions {
    /// Takes a configuration.
    fileprivate func set(_ configuration: Configuration) {
        set(
            configuration.agent.forward,
            audiences: Dictionary(configuration.providers.map { ($0.name, $0.resources) }) { first, _ in first })
    }
}

extension Seal {
    /// The requirements of a new agent for opening a store with this seal.
    fileprivate var reopening: StoreReopening {
        switch self {
        case .passphrase, .securityKey: .passphrase
        case .secretService, .system, .keyFile: .automatic
        case .memory: .impossible
        }
    }
}

/// Runs the commands that the launcher passes to the agent, in the agent's process and with the launcher's identity.
///
/// A command runs as it would in the full program, with its output collected. What needs the caller's terminal is left to the full program:
/// a question for consent, help, and the explanation of a wrong command line.
struct LauncherCommandRunner: Sendable {
    /// The agent's own context.
    let context: CommandContext

    /// Returns the result of a command. Throws ``LauncherCommand/needsProgram`` if only the full program can run it.
    func run(_ command: LauncherCommand, on service: any SessionService) async throws(AuthFailure) -> LauncherCommand.Output {
        let subcommand = try Self.parse(command.arguments)
        let output = Output()
        var edges = context.edges
        edges.environment = environment(of: command)
        edges.streams = Self.streams(reading: command.input, into: output)
        edges.sessionService = service
        let console = Console(streams: edges.streams, environment: edges.environment)
        let status = try await Self.status(of: subcommand, in: CommandContext(edges: edges, options: GlobalOptions(), console: console))
        return output.result(status: status)
    }

    private static func parse(_ arguments: [String]) throws(AuthFailure) -> any Subcommand {
        guard let (options, rest) = try? GlobalOptions.extract(from: arguments), options == GlobalOptions(),
            let command = RootCommand.subcommand(rest), command.runsInAgent
        else { throw LauncherCommand.needsProgram }
        return command
    }

    /// Runs a command and returns its exit status.
    private static func status(of command: any Subcommand, in context: CommandContext) async throws(AuthFailure) -> Int32 {
        do {
            try await command.run(in: context)
            return 0
        } catch let failure as AuthFailure {
            guard !failure.needsConsent, failure.kind != .usage else { throw LauncherCommand.needsProgram }
            context.console.failure(failure)
            return failure.exitCode
        } catch let status as ExitStatus {
            return status.code
        } catch {
            throw LauncherCommand.needsProgram
        }
    }

    /// The variables that the launcher passes. A caller must not move the folders or the configuration of a command in the agent's process.
    private static let passed: Set = ["LC_ALL", "LC_CTYPE", "LANG", "KUBERNETES_EXEC_INFO"]

    /// Returns the folders of the agent, which has checked that the caller's are the same, and the caller's own variables.
    private func environment(of command: LauncherCommand) -> [String: String] {
        context.edges.environment.filter { $0.key == "HOME" || $0.key.hasPrefix("XDG_") }
            .merging(command.environment.filter { Self.passed.contains($0.key) }) { _, caller in caller }
    }

    private static func streams(reading input: String, into output: Output) -> Streams {
        let lines = Lines(input)
        return Streams(
            isInputTerminal: false, isAnswerTerminal: false, isDiagnosticsTerminal: false,
            write: { (stream, bytes) throws(SystemError) in output.append(bytes, to: stream) }, line: { lines.next() },
            hiddenLine: { _ in nil })
    }

    /// The lines of the standard input, each once.
    private final class Lines: Sendable {
        private let rest: Mutex<[String]>

        init(_ text: String) {
            var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            if lines.last == "" { lines.removeLast() }
            rest = Mutex(lines.reversed())
        }

        func next() -> String? { rest.withLock { $0.popLast() } }
    }

    /// The collected output of a command.
    private final class Output: Sendable {
        private let bytes = Mutex<(answer: [UInt8], diagnostics: [UInt8])>(([], []))

        func append(_ added: [UInt8], to stream: Streams.Output) {
            bytes.withLock { bytes in
                switch stream {
                case .answer: bytes.answer += added
                case .diagnostics: bytes.diagnostics += added
                }
            }
        }

        func result(status: Int32) -> LauncherCommand.Output {
            bytes.withLock { LauncherCommand.Output(status: status, output: $0.answer, diagnostics: $0.diagnostics) }
        }
    }
}
