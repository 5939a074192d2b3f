import AuthModel
import Glibc
import LocalServer

/// Sends the service's status to systemd (sd_notify(3)): datagrams to the socket in `NOTIFY_SOCKET`. Without that variable, it sends
/// nothing.
struct ServiceNotifier: Sendable {
    private let path: String?
    /// The interval of watchdog notifications; `nil` if there is no watchdog.
    let watchdog: Duration?

    init(environment: [String: String], process: Int32 = getpid()) {
        path = environment["NOTIFY_SOCKET"].flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
        let isForUs = environment["WATCHDOG_PID"].map { $0 == String(process) } ?? true
        let period = environment["WATCHDOG_USEC"].flatMap(Int64.init) ?? 0
        // Half of the watchdog's time, as the manual recommends.
        watchdog = isForUs && period > 0 && path != nil ? .microseconds(period / 2) : nil
    }

    func ready() { tell("READY=1\nMAINPID=\(getpid())") }
    func status(_ status: String) { tell("STATUS=\(status)", waits: false) }
    func stopping() { tell("STOPPING=1\nSTATUS=Stopping") }
    func isAlive() { tell("WATCHDOG=1", waits: false) }

    /// Sends a message.
    ///
    /// - Parameter waits: whether to wait for a manager that does not read. Repeated messages do not wait.
    private func tell(_ message: String, waits: Bool = true) {
        guard let path, let address = UnixSocketAddress(path) else { return }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let bytes = Array(message.utf8)
        // Ignore failures: the agent does not depend on the delivery.
        let flags = Int32(MSG_NOSIGNAL) | (waits ? 0 : Int32(MSG_DONTWAIT))
        _ = address.withPointer { pointer, length in sendto(descriptor, bytes, bytes.count, flags, pointer, length) }
    }
}

/// The agent's state, as the line that `systemctl status` shows.
struct ServiceStatus: Equatable, Sendable {
    var isLocked: Bool
    var sessions: Int
    /// The number of sessions that need a new sign-in.
    var ended: Int

    init(isLocked: Bool, sessions: [SessionSummary], at now: Timestamp) {
        self.isLocked = isLocked
        self.sessions = sessions.count
        ended = sessions.count { $0.hasEnded(at: now) }
    }

    var text: String {
        let seal = isLocked ? "Locked" : "Unlocked"
        let count =
            switch sessions {
            case 0: "no session"
            case 1: "1 session"
            default: "\(sessions) sessions"
            }
        return ended == 0 ? "\(seal), \(count)" : "\(seal), \(count), \(ended) ended"
    }
}

/// A listening socket that systemd opened for the agent (sd_listen_fds(3)).
enum SocketActivation {
    /// The first passed descriptor.
    private static let first: Int32 = 3

    /// Returns the socket; `nil` if this process was not started for one.
    ///
    /// Throws `.configuration` if systemd passed something else, so that a wrong unit is reported instead of ignored. The variables are for
    /// this process only and must not be passed on.
    static func socket(environment: [String: String], process: Int32 = getpid()) throws(AuthFailure) -> Int32? {
        guard environment["LISTEN_PID"] == String(process), let count = environment["LISTEN_FDS"].flatMap(Int32.init), count > 0 else {
            return nil
        }
        let names = (environment["LISTEN_FDNAMES"] ?? "").split(separator: ":", omittingEmptySubsequences: false)
        guard count <= 64 else { throw refusal("socket.too_many_passed") }
        for descriptor in first..<(first + count) { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        let index = names.firstIndex(of: "agent").map(Int32.init) ?? 0
        guard index < count, names.contains("agent") || count == 1 else { throw refusal("socket.none_named_agent") }
        let descriptor = first + index
        guard option(descriptor, SO_DOMAIN) == AF_UNIX, option(descriptor, SO_TYPE) == Int32(SOCK_STREAM.rawValue),
            option(descriptor, SO_ACCEPTCONN) == 1
        else { throw refusal("socket.not_listening_unix_stream") }
        return descriptor
    }

    /// The variables that are for the service only.
    static let variables = socketVariables + ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]
    /// Those that describe the passed sockets.
    static let socketVariables = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"]

    static func option(_ descriptor: Int32, _ name: Int32) -> Int32? {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
    }

    private static func refusal(_ reason: UserMessage) -> AuthFailure {
        AuthFailure(.configuration, reason, hint: "hint.compare_socket_unit")
    }
}

/// The units of a systemd user service.
public enum UnitFiles {
    /// The text of `yett-agent.socket`.
    public static let socket = """
        [Unit]
        Description=Socket of yett's session service

        [Socket]
        ListenStream=%t/yett/agent.sock
        FileDescriptorName=agent
        SocketMode=0600
        DirectoryMode=0700

        [Install]
        WantedBy=sockets.target

        """

    /// Returns the text of `yett-agent.service` for the program at a path.
    ///
    /// The service has the restrictions that a user unit can have. The others need privileges of the user manager, or a user namespace:
    /// - `CapabilityBoundingSet`, `PrivateDevices`, `ProtectClock`, `ProtectKernelLogs` and `ProtectKernelModules` change the capability
    ///   bounding set. A user manager may not, and the service fails with status 218. The agent has no capabilities in any case.
    /// - `ProtectSystem`, `ProtectHome`, `PrivateTmp`, `ProtectProc` and everything else with a mount or host name namespace is ignored,
    ///   or implies `PrivateUsers`. A process in a user namespace cannot read `/proc/PID/exe` of a process outside, so the activity log
    ///   would not name the programs that use tokens. Where user namespaces are forbidden, the service would not start.
    /// - `IPAddressDeny` and `DeviceAllow` need root.
    ///
    /// The user's hook and secret commands inherit the restrictions. Therefore the unit does not set `MemoryDenyWriteExecute`, which stops
    /// programs with a JIT compiler, or `KeyringMode`, which hides the user's kernel keyring; and it allows all of `@system-service`.
    public static func service(program: String) -> String {
        """
        [Unit]
        Description=yett's session service (agent)
        Requires=yett-agent.socket

        [Service]
        Type=notify
        ExecStart=\(quoted(program)) agent run
        Environment=SWIFT_BACKTRACE=enable=no
        WatchdogSec=60
        Restart=on-failure
        LimitCORE=0
        UMask=0077
        NoNewPrivileges=yes
        LockPersonality=yes
        RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
        RestrictNamespaces=yes
        RestrictRealtime=yes
        RestrictSUIDSGID=yes
        SystemCallArchitectures=native
        SystemCallErrorNumber=EPERM
        SystemCallFilter=@system-service

        """
    }

    /// Quotes the path of a program for a command line as systemd.service(5) reads it. systemd replaces no variables in it.
    private static func quoted(_ path: String) -> String {
        let escaped = path.unicodeScalars.map { scalar -> String in
            switch scalar {
            case "\\", "\"": "\\\(scalar)"
            case "%": "%%"
            case "\u{0}"..."\u{1F}": "\\x" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            default: String(scalar)
            }
        }.joined()
        return escaped.contains { " \"';\\".contains($0) } ? "\"\(escaped)\"" : escaped
    }
}
