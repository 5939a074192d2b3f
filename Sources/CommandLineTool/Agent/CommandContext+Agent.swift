internal import Agent
internal import AuthEngine
internal import AuthModel
internal import OperatingSystem
internal import SessionStore
internal import UserConfiguration

extension CommandContext {
    /// The location of the user's agent.
    var agentLocation: AgentLocation { AgentLocation(environment: edges.environment) }

    /// Returns the store and configuration that this command uses.
    func agentHome() throws(AuthFailure) -> AgentHome {
        let configuration = try configurationFile().path
        return AgentHome(store: try directories.data, configuration: configuration)
    }

    /// Returns a client of the agent. Starts no agent.
    func agentClient() throws(AuthFailure) -> AgentClient {
        AgentClient(
            place: agentLocation, home: try agentHome(), userEnvironment: SignInEnvironment(environment: edges.environment))
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
                program: $0, configuration: options.configuration, logs: isLogging, environment: edges.environment, place: agentLocation)
        }
    }

    /// Returns the activity log; one that records nothing if its folder cannot be created.
    func activityLog() -> ActivityLog {
        guard let folder = try? directories.state else { return ActivityLog(folder: nil) }
        return ActivityLog(folder: isUsable(folder, for: "nothing is recorded in the activity log") ? folder : nil)
    }

    /// The time for which a caller with a valid token waits for a slow provider.
    private static let patience = Duration.seconds(2)

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
        let engine = service(configuration, store: store, patience: Self.patience)
        let paths = file.paths
        let storeFile = "\(try directories.data)/\(SessionStore.fileName)"
        let source = SessionServiceSource(
            // A store that replaced another one has other sessions, so no token of the old one is issued from memory.
            revision: { paths.flatMap(FileRevision.numbers) + FileRevision.identity(storeFile) },
            make: { () throws(AuthFailure) in
                let configuration = try file.read()
                forwarded.set(configuration)
                oidcAgent.set(configuration.agent.servesOIDCAgent)
                blocked.set(configuration.agent.blockedPrograms)
                await engine.configure(configuration.providers)
                return engine
            })
        let announcer = NotificationRunner(
            hook: configuration.agent.hook, notifies: configuration.agent.notifies, environment: edges.environment, time: edges.time)
        return AgentSessionService(
            source: source, log: log, time: edges.time, idleLimit: configuration.agent.lockAfter,
            exitLimit: configuration.agent.idleExit, announcer: announcer, suspension: SuspensionClock.system, blocked: blocked,
            reopening: { store.seal.reopening })
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
        case .passphrase: .passphrase
        case .secretService, .keyFile: .automatic
        case .memory: .impossible
        }
    }
}
