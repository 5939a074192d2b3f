import Glibc

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
    init?(environment: [String: String], place: AgentLocation, process: Int32 = getpid()) {
        let numbers = (environment[Self.variable] ?? "").split(separator: " ", omittingEmptySubsequences: false).map { Int32($0) }
        guard numbers.count == 4, numbers[0] == process, let listener = numbers[1], let lockFile = numbers[2], let owns = numbers[3],
            Self.isListening(listener, at: place.socket), Self.isFile(lockFile, at: place.lock)
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
            && flock(descriptor, LOCK_EX | LOCK_NB) == 0
    }
}
