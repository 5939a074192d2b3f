public import AuthModel
package import OAuth
public import SessionStore
import Synchronization

/// The collaborators that all operations of the engine share.
struct EngineContext: Sendable {
    let store: SessionStore
    let environment: EngineEnvironment
    let providers: ProviderDirectory
    let events: SessionEvents
    let sessions: StoredSessions

    /// The clocks.
    var time: any TimeSource { environment.time }

    /// Creates the collaborators.
    ///
    /// - Parameter renewals: the renewals in progress, which the list of sessions shows.
    init(
        providers: [ProviderConfiguration], store: SessionStore, environment: EngineEnvironment,
        renewals: TasksInProgress<SessionName, SessionRecord>
    ) {
        self.store = store
        self.environment = environment
        self.providers = ProviderDirectory(providers, environment: environment)
        let listing = SessionListing(store: store, providers: self.providers, renewals: renewals, time: environment.time)
        events = SessionEvents(listing: listing, environment: environment)
        sessions = StoredSessions(listing: listing, events: events, accounts: DefaultAccounts(store: store))
    }
}

/// The engine's dependencies on the outside world. Tests pass their own; the rest of the engine is the same in tests and in the program.
public struct EngineEnvironment: Sendable {
    /// Creates the adapter for a provider of any kind.
    public typealias AdapterFactory = @Sendable (ProviderConfiguration, EngineEnvironment) -> any ProviderAdapter

    /// Creates the adapters. The engine itself knows no kind.
    public var makeAdapter: AdapterFactory
    /// Sends HTTP requests.
    public var transport: any HTTPTransport
    /// The clocks.
    public var time: any TimeSource
    /// The folder where validated metadata is cached between runs; `nil` caches it only in memory.
    public var cacheDirectory: String?
    /// The environment variables for `client_secret_command`s; empty if no command may be run.
    public var commandEnvironment: [String: String]
    /// The user's surroundings, for requests that do not name them. They decide which sign-in methods start automatically.
    public var surroundings: Surroundings
    /// The delays and time limits.
    public var limits = EngineLimits()
    /// Records activity; `nil` if another component does.
    public var recorder: (any ActivityRecorder)?
    /// The time for which a caller with a valid token waits for a renewed one. The renewal continues after that. `nil` waits until it is
    /// done, for a process that exits with its answer.
    public var renewalWait: Duration?
    /// Called with the sessions after each change; `nil` if they are not needed, as in the agent, which observes the events.
    public var sessionsChanged: (@Sendable ([SessionSummary]) -> Void)?
    /// Returns the source of the key for a seal that the user chooses for the store, and the storages that may have a key of an earlier
    /// seal; `nil` if it cannot be chosen. Throws if the configuration does not allow it. The engine chooses none by itself.
    public var keySource: @Sendable (Seal) throws(AuthFailure) -> (source: KeySource, others: [any KeyStorage])? = {
        (_) throws(AuthFailure) in nil
    }
    /// Returns whether the program knows that the hosts of a sign-in belong together. Default: it knows none.
    package var knowsSites: SignInSites.Knowledge = { _, _, _ in false }
    /// Returns the management data of a client that this program registered at an issuer. The engine sets it, from its store.
    package var registration: @Sendable (_ clientID: String, _ issuer: Issuer) async throws(AuthFailure) -> ClientManagement? = {
        (_, _) async throws(AuthFailure) in nil
    }

    /// Creates an environment.
    public init(
        makeAdapter: @escaping AdapterFactory, transport: any HTTPTransport, time: any TimeSource, cacheDirectory: String?,
        commandEnvironment: [String: String] = [:],
        surroundings: Surroundings = .desktop, recorder: (any ActivityRecorder)? = nil,
        renewalWait: Duration? = nil
    ) {
        self.makeAdapter = makeAdapter
        self.transport = transport
        self.time = time
        self.cacheDirectory = cacheDirectory
        self.commandEnvironment = commandEnvironment
        self.surroundings = surroundings
        self.recorder = recorder
        self.renewalWait = renewalWait
    }
}

/// The delays and time limits of the engine that tests change.
public struct EngineLimits: Sendable {
    /// The time that the other methods of a sign-in have before a device code is requested beside them. A browser that needs no action by
    /// the user is back by then.
    public var deviceCodeDelay = Duration.seconds(1)
    /// Time limit for all requests to a provider in one sign-out.
    public var signOut = Duration.seconds(15)

    /// Creates the program's limits.
    public init() {}
}

/// Operations in progress by key, so that concurrent callers share one task and its result.
final class TasksInProgress<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// An operation. It removes itself when its result is final.
    typealias Running = Task<Result<Value, AuthFailure>, Never>

    private let tasks = Mutex<[Key: Running]>([:])

    /// Returns the task for `key`; `nil` if there is none.
    subscript(key: Key) -> Running? { tasks.withLock { $0[key] } }

    /// Joins the task for `key`, or starts one. The check and the start are one atomic step.
    ///
    /// - Parameter start: starts the task; called at most once. The task must end with ``remove(_:)``.
    /// - Returns: the task, and whether this call started it.
    func join(_ key: Key, orStart start: () -> Running) -> (task: Running, isNew: Bool) {
        tasks.withLock { tasks in
            if let running = tasks[key] { return (running, false) }
            let task = start()
            tasks[key] = task
            return (task, true)
        }
    }

    /// Removes the task for `key`, which has its result. Later callers start a new one.
    func remove(_ key: Key) { tasks.withLock { $0[key] = nil } }

    /// Reads what the tasks change, and again if one ended meanwhile, because the first result may be older than its end.
    func whileNoneEnds<Read, Failure: Error>(_ read: () async throws(Failure) -> Read) async throws(Failure) -> Read {
        while true {
            let running = tasks.withLock { Set($0.keys) }
            let result = try await read()
            if tasks.withLock({ tasks in running.allSatisfy { tasks[$0] != nil } }) { return result }
        }
    }
}
