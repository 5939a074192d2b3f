package import AuthModel
import Glibc
import LocalServer
import NIOCore
import OperatingSystem
import Synchronization

/// Serves a session service on the agent's socket: HTTP/1.1 and JSON, with events as server-sent events.
///
/// It only answers processes of the same user, as the kernel reports them. Slow, incomplete, oversize and abandoned requests affect only
/// their own connection.
public final class AgentServer: Sendable {
    private let lock: AgentLock
    private let server: SocketServer

    /// Starts the server.
    ///
    /// - Parameters:
    ///   - runCommand: runs the launcher's commands; `nil` if the full program has to run them all.
    ///   - stop: called when a caller asks the agent to end.
    package static func start(
        _ lock: AgentLock, service: any SessionService, facts: AgentFacts, log: ActivityLog, time: any TimeSource,
        runCommand: LauncherCommand.Runner? = nil, stop: @escaping @Sendable () -> Void
    ) async throws(AuthFailure) -> AgentServer {
        // Drop code from memory when the agent becomes idle, but not after every request: loading it again takes time.
        let release = Throttled(every: .seconds(60), by: time) { ProcessMemory.releaseCode() }
        return try await start(
            lock, service: AgentService(service: service, facts: facts, log: log, time: time, runCommand: runCommand, stop: stop),
            limits: .fitting(), whenUnused: release.callAsFunction)
    }

    static func start(
        _ lock: AgentLock, service: AgentService, limits: ServerLimits, user: uid_t = geteuid(),
        whenUnused: @escaping @Sendable () -> Void = {}
    ) async throws(AuthFailure) -> AgentServer {
        do {
            // The server closes the descriptor that it gets, so pass a duplicate.
            let descriptor = fcntl(lock.listener, F_DUPFD_CLOEXEC, 3)
            let server = try await ConnectionHandler.serve(descriptor, service: service, limits: limits, user: user, whenUnused: whenUnused)
            return AgentServer(lock: lock, server: server)
        } catch {
            lock.removeSocket()
            lock.release()
            throw AuthFailure(.configuration, "socket.cannot_listen", hint: "hint.use_no_agent")
        }
    }

    private init(lock: AgentLock, server: SocketServer) {
        self.lock = lock
        self.server = server
    }

    /// Whether a request is being answered, or events are being sent.
    var isBusy: Bool { server.connections.isBusy }

    /// Stops the server: accepts no new connection, closes the open ones, removes the socket and releases the lock.
    public func stop() async {
        // Remove the socket first: a client that connects now starts another agent, which waits for the lock.
        lock.removeSocket()
        await closeConnections()
        lock.release()
    }

    /// Stops the server, but keeps the socket, in whose queue new clients wait, and the lock.
    func closeConnections() async { await server.close() }
}

/// The limits of one connection and of all connections.
struct ServerLimits: Sendable {
    /// Time limit for a complete request, from the connection's start or the last answer.
    var readTime = TimeAmount.seconds(10)
    /// Time limit for sending an answer.
    var writeTime = TimeAmount.seconds(10)
    /// The interval of interim responses to a long request.
    var interimResponseInterval = TimeAmount.seconds(5)
    var body = AgentProtocol.requestLimit
    /// Maximum number of connections. One more closes the one that has been idle for longest.
    var connections = 2048
    /// Maximum number of unsent bytes for an event stream before it is closed.
    var backlog = 1 << 20

    /// Minimum of ``connections``, however few descriptors there are.
    static let fewest = 8

    /// Returns limits for the descriptors of this process, minus those that the session service needs. If fewer are available,
    /// `SocketServer` reduces the limit.
    static func fitting() -> ServerLimits {
        var limits = ServerLimits()
        var descriptors = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &descriptors) == 0 else { return limits }
        limits.connections = min(limits.connections, max(fewest, Int(clamping: descriptors.rlim_cur) - 64))
        return limits
    }
}

/// Work that is done at most once in an interval. A request for it that comes too early has no effect, so that no timer is needed.
final class Throttled: Sendable {
    private let interval: Duration
    private let time: any TimeSource
    private let work: @Sendable () -> Void
    private let last = Mutex<Duration?>(nil)

    init(every interval: Duration, by time: any TimeSource, _ work: @escaping @Sendable () -> Void) {
        self.interval = interval
        self.time = time
        self.work = work
    }

    /// Does the work, unless it was done within the interval.
    @Sendable func callAsFunction() {
        let now = time.bootTime
        let isDue = last.withLock { last in
            if let last, now < last + interval { return false }
            last = now
            return true
        }
        if isDue { work() }
    }
}
