internal import Agent
internal import AuthEngine
internal import AuthModel
internal import Glibc
internal import SessionStore

extension CommandContext {
    /// Where the agent of this person is reached.
    var agentPlace: AgentLocation { AgentLocation(environment: edges.environment) }

    /// The store and configuration that this command means.
    func agentHome() throws(AuthFailure) -> AgentHome {
        let configuration = try configurationFile().path
        return AgentHome(store: try directories.data, configuration: configuration)
    }

    /// The agent as it is; starts none.
    func agentClient() throws(AuthFailure) -> AgentClient {
        AgentClient(
            place: agentPlace, home: try agentHome(), surroundings: SignInEnvironment(environment: edges.environment))
    }

    /// How an agent is started: the program that runs here, once more. `nil` where this is no program that could be an agent.
    func agentStarter() -> AgentStarter? {
        edges.agentProgram.map {
            AgentStarter(
                program: $0, configuration: options.configuration, logs: isLogging, environment: edges.environment, place: agentPlace)
        }
    }

    /// The activity log; one that keeps nothing where its folder cannot be made.
    func activityLog() -> ActivityLog {
        guard let folder = try? directories.state else { return ActivityLog(folder: nil) }
        return ActivityLog(folder: isUsable(folder, for: "what happens is not written down") ? folder : nil)
    }

    /// How long somebody with a token that still works waits for a provider that is slow.
    private static let patience = Duration.seconds(2)

    /// The session service that lives in the agent: on one store, with the providers as the configuration file has them at any time.
    func residentKeeper(log: ActivityLog) async throws(AuthFailure) -> AgentSessionService {
        let file = try configurationFile()
        let configuration = try file.read()
        let store = try await store(configuration.seal, creating: true)
        // One for good: what it knows of renewals under way, and of answers that could not be sealed yet, outlives a change of the
        // configuration.
        let engine = service(configuration, store: store, patience: Self.patience)
        let source = SessionServiceSource(
            revision: { FileStatus.revision(file.path) },
            make: { () throws(AuthFailure) in
                await engine.configure(try file.read().providers)
                return engine
            })
        let announcer = NotificationRunner(
            hook: configuration.agent.hook, notifies: configuration.agent.notifies, environment: edges.environment, time: edges.time)
        return AgentSessionService(
            source: source, log: log, time: edges.time, idleLimit: configuration.agent.lockAfter,
            exitLimit: configuration.agent.idleExit, announcer: announcer, suspension: SuspensionClock.system)
    }
}

extension FileStatus {
    /// Names a file's content, as far as that can be told without reading it: it is another one after every change.
    static func revision(_ path: String) -> String {
        var found = stat()
        guard stat(path, &found) == 0 else { return "" }
        return
            "\(found.st_dev) \(found.st_ino) \(found.st_size) \(found.st_mtim.tv_sec).\(found.st_mtim.tv_nsec) \(found.st_ctim.tv_sec).\(found.st_ctim.tv_nsec)"
    }
}
