import Glibc
import OperatingSystem

/// The program file of a running agent, which an update replaces.
public struct AgentProgram: Sendable {
    /// The attributes that distinguish a program file from the one that an update puts in its place.
    struct Identity: Equatable {
        private let device: dev_t
        private let number: ino_t
        private let size: off_t
        private let seconds: Int
        private let nanoseconds: Int

        /// Returns the identity of a file that this user may trust and execute; `nil` if there is none at the path.
        init?(_ path: String) {
            var found = stat()
            guard stat(path, &found) == 0, found.st_mode & S_IFMT == S_IFREG, found.st_uid == 0 || found.st_uid == geteuid(),
                found.st_mode & 0o022 == 0, access(path, X_OK) == 0
            else { return nil }
            (device, number, size) = (found.st_dev, found.st_ino, found.st_size)
            (seconds, nanoseconds) = (found.st_mtim.tv_sec, found.st_mtim.tv_nsec)
        }
    }

    /// The absolute path.
    let path: String
    /// The command line after the program's name.
    let arguments: [String]
    private let original: Identity

    /// Creates the value for the program that is running now.
    ///
    /// - Parameters:
    ///   - path: the absolute path of its file.
    ///   - arguments: its command line after the program's name.
    /// - Returns: `nil` if others than this user and root can change the file.
    public init?(path: String, arguments: [String]) {
        guard let original = Identity(path) else { return nil }
        self.path = path
        self.arguments = arguments
        self.original = original
    }

    /// The file that replaced the program; `nil` if none did, or if it cannot be executed.
    var replacement: Identity? { Identity(path).flatMap { $0 == original ? nil : $0 } }

    /// Calls `body` after each change of the folder, until the result is released; `nil` if the system provides no watch.
    func watch(_ body: @escaping @Sendable () -> Void) -> FolderEvents? {
        let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        guard let events = FolderEvents({ _ in body() }), events.watch(folder, for: [.appeared, .written]) else { return nil }
        return events
    }

    /// Continues with the program file that is at the path now, in this process. Returns only if that fails.
    func replaceProcess(environment: [String: String]) -> SystemError {
        ProcessReplacement.run([path] + arguments, environment: environment)
    }
}

/// The parts that an agent passes on to the program that replaces it in its process: the listening socket, in whose queue clients wait, and
/// the lock.
struct AgentHandover: Equatable {
    /// The listening socket.
    let listener: Int32
    /// The open lock file, which keeps its lock.
    let lockFile: Int32
    /// Whether the agent created the socket; otherwise systemd did.
    let ownsSocket: Bool

    /// The variable with the descriptors. It is for this process only.
    static let variable = "YETT_AGENT_HANDOVER"

    init(listener: Int32, lockFile: Int32, ownsSocket: Bool) {
        self.listener = listener
        self.lockFile = lockFile
        self.ownsSocket = ownsSocket
    }

    /// Reads the variable; `nil` if this process did not replace an agent of the location.
    init?(environment: [String: String], location: AgentLocation, process: Int32 = getpid()) {
        let numbers = (environment[Self.variable] ?? "").split(separator: " ", omittingEmptySubsequences: false).map { Int32($0) }
        guard numbers.count == 4, numbers[0] == process, let listener = numbers[1], let lockFile = numbers[2], let owns = numbers[3],
            Self.isListening(listener, at: location.socket), Self.isFile(lockFile, at: location.lock)
        else { return nil }
        self.init(listener: listener, lockFile: lockFile, ownsSocket: owns == 1)
        // Programs that the agent starts get neither.
        for descriptor in [listener, lockFile] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    }

    /// The value of the variable.
    var text: String { "\(getpid()) \(listener) \(lockFile) \(ownsSocket ? 1 : 0)" }

    private static func isListening(_ descriptor: Int32, at path: String) -> Bool {
        var address = sockaddr_un()
        var size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        guard status == 0, address.sun_family == sa_family_t(AF_UNIX), SocketActivation.option(descriptor, SO_ACCEPTCONN) == 1 else {
            return false
        }
        let bound = withUnsafeBytes(of: &address.sun_path) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        return bound == path
    }

    private static func isFile(_ descriptor: Int32, at path: String) -> Bool {
        var (open, named) = (stat(), stat())
        return fstat(descriptor, &open) == 0 && lstat(path, &named) == 0 && open.st_dev == named.st_dev && open.st_ino == named.st_ino
            && FileLock.take(descriptor)
    }
}

/// Reports changes of the agent's socket: without its runtime folder, the agent runs on and no client can connect.
final class SocketWatch: Sendable {
    private let events: FolderEvents

    /// Watches the folder of a location; `nil` if the system provides no watch.
    init?(_ location: AgentLocation, changed: @escaping @Sendable () -> Void) {
        guard let events = FolderEvents({ _ in changed() }),
            events.watch(location.folder, for: [.left, .appeared, .folderDeleted, .folderMoved])
        else { return nil }
        self.events = events
    }

    deinit { events.stop() }
}
