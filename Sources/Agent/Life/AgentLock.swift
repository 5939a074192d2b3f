public import AuthModel
import Glibc
import LocalServer
import Synchronization
import OperatingSystem

/// The exclusive right to be the agent of a location, with its socket. One process holds it at a time.
///
/// It is a lock on a file, held while the agent runs; the kernel releases it however the holder ends. So a socket without a holder is stale
/// and is replaced, and a live one is never replaced.
public final class AgentLock: Sendable {
    /// The listening socket.
    let listener: Int32
    /// The socket's path and identity; `nil` if another program removes it.
    private let socketFile: SocketFile?
    private let lockFile: Int32
    private let isReleased = Atomic(false)

    /// Takes the lock and opens the socket.
    ///
    /// - Parameter inherited: a listening socket that systemd opened.
    /// - Throws: `.configuration` if the location is not safe or an agent is running: ``isAlreadyRunning(_:)`` tells them apart.
    public static func acquire(_ location: AgentLocation, inherited: Int32? = nil) throws(AuthFailure) -> AgentLock {
        try location.prepare()
        let lockFile = try Self.openLock(location.lock)
        guard FileLock.take(lockFile) else {
            let isHeld = errno == EWOULDBLOCK
            let reason = SystemError.last.text
            close(lockFile)
            throw isHeld
                ? alreadyRunning
                : AuthFailure(
                    .configuration, UserMessage("agent.cannot_lock", ["path": location.lock, "detail": reason]), hint: "hint.use_no_agent")
        }
        if let inherited { return AgentLock(listener: inherited, socketFile: nil, lockFile: lockFile) }
        do throws(AuthFailure) {
            let (listener, file) = try listen(at: location.socket)
            return AgentLock(listener: listener, socketFile: file, lockFile: lockFile)
        } catch {
            FileLock.close(lockFile)
            throw error
        }
    }

    /// Acquires the lock like ``acquire(_:inherited:)``, but waits up to ten seconds for a holder that is about to release it: one that no
    /// longer serves, or one that listened before systemd opened the socket for this process.
    public static func acquireWhenFree(
        _ location: AgentLocation, inherited: Int32? = nil, time: any TimeSource
    ) async throws(AuthFailure) -> AgentLock {
        let end = time.bootTime + waitLimit
        while true {
            do throws(AuthFailure) {
                return try acquire(location, inherited: inherited)
            } catch {
                // On an inherited socket, this process itself listens.
                guard isAlreadyRunning(error), inherited != nil || !location.isServed(), time.bootTime < end else { throw error }
            }
            do { try await time.sleep(until: time.bootTime + .milliseconds(20)) } catch {
                throw AuthFailure(.cancelled, "process.cancelled")
            }
        }
    }

    private static let waitLimit = Duration.seconds(10)

    /// Continues with the lock and the socket of the agent that this process replaced.
    init(continuing handover: AgentHandover, at location: AgentLocation) {
        listener = handover.listener
        socketFile = handover.ownsSocket ? SocketFile(location.socket) : nil
        lockFile = handover.lockFile
    }

    /// Returns copies of the socket and the lock file that stay open in the program that replaces this one; `nil` if the system has no
    /// descriptor left.
    func handOver() -> AgentHandover? {
        let (listener, lockFile) = (fcntl(listener, F_DUPFD, 3), fcntl(lockFile, F_DUPFD, 3))
        guard listener >= 0, lockFile >= 0 else { return nil }
        return AgentHandover(listener: listener, lockFile: lockFile, ownsSocket: ownsSocket)
    }

    /// Whether this agent created the socket; otherwise another program did and removes it.
    var ownsSocket: Bool { socketFile != nil }

    private init(listener: Int32, socketFile: SocketFile?, lockFile: Int32) {
        self.listener = listener
        self.socketFile = socketFile
        self.lockFile = lockFile
    }

    private static let alreadyRunning = AuthFailure(
        .configuration, "agent.already_running_here", hint: "hint.see_agent_status_or_stop")

    /// Returns whether a failure of ``acquire(_:inherited:)`` means that an agent is running.
    public static func isAlreadyRunning(_ failure: AuthFailure) -> Bool { failure == alreadyRunning }

    /// Removes the socket, if this agent created it.
    func removeSocket() {
        if !isReleased.load(ordering: .acquiring) { socketFile?.remove() }
    }

    /// Releases the lock and closes the socket, after the last request. A second call has no effect.
    func release() {
        guard !isReleased.exchange(true, ordering: .acquiringAndReleasing) else { return }
        close(listener)
        FileLock.close(lockFile)
    }

    /// Returns whether the socket is still at its path. Otherwise the runtime folder was removed or another socket replaced it, and no
    /// client can connect.
    func isReachable() -> Bool { socketFile?.isThere ?? true }

    /// Opens a lock file that belongs to this user, and creates it if it is missing.
    static func openLock(_ path: String) throws(AuthFailure) -> Int32 {
        let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else {
            throw AuthFailure(
                .configuration, UserMessage("file.cannot_open_path", ["path": path, "detail": SystemError.last.text]),
                hint: "hint.remove_if_link_or_not_file")
        }
        var found = stat()
        guard fstat(descriptor, &found) == 0, found.st_mode & S_IFMT == S_IFREG, found.st_uid == geteuid() else {
            close(descriptor)
            throw AuthFailure(.configuration, UserMessage("file.not_your_file", ["path": path]), hint: "hint.remove_it")
        }
        return descriptor
    }

    /// Opens a socket of the agent. The caller's lock guarantees that no process serves it.
    static func listen(at path: String) throws(AuthFailure) -> (descriptor: Int32, file: SocketFile) {
        do throws(SocketFile.Failure) {
            return try SocketFile.listen(at: path, replacesServed: true)
        } catch {
            let failure: (message: UserMessage, hint: UserMessage?) =
                switch error {
                case .occupied: (UserMessage("socket.not_your_socket", ["path": path]), "hint.remove_it")
                case .system(.open, let error): (UserMessage("socket.cannot_open", ["detail": error.text]), nil)
                case .system(.bind, let error): (UserMessage("socket.cannot_bind", ["path": path, "detail": error.text]), nil)
                case .system(.listen, let error): (UserMessage("socket.cannot_listen_at", ["path": path, "detail": error.text]), nil)
                }
            throw AuthFailure(.configuration, failure.message, hint: failure.hint)
        }
    }
}
