import AuthModel
import Glibc
import LocalServer
import OperatingSystem

/// The location of the user's agent: a socket in a folder that only the user can enter.
///
/// The folder is `$XDG_RUNTIME_DIR/yett`, or `/tmp/yett-UID` if that variable is not set. It is used only if it and the runtime folder
/// above it belong to the user and are accessible to no other. In `/tmp` the sticky bit keeps other users from renaming it, and a folder
/// that another user created first is refused.
public struct AgentLocation: Equatable, Sendable {
    /// The folder of the socket.
    public let folder: String
    /// The folder above it, if that must belong to the user as well.
    let base: String?
    /// The socket of an agent on another machine, forwarded to this one; `nil` for the agent of this machine.
    public let remoteSocket: String?

    /// The variable with the path of a forwarded socket.
    public static let variable = "YETT_AGENT_SOCK"

    /// Creates the location for an environment. An empty or relative `XDG_RUNTIME_DIR` counts as not set.
    public init(environment: [String: String]) {
        remoteSocket = environment[Self.variable].flatMap { $0.hasPrefix("/") ? $0 : nil }
        if var base = environment["XDG_RUNTIME_DIR"], base.hasPrefix("/") {
            while base.count > 1, base.last == "/" { base.removeLast() }
            folder = base + "/yett"
            self.base = base
        } else {
            folder = "/tmp/yett-\(geteuid())"
            base = nil
        }
    }

    /// The path of the socket.
    public var socket: String { remoteSocket ?? folder + "/agent.sock" }
    /// The path of the restricted socket, the one to forward to other machines.
    public var forwardedSocket: String { folder + "/forward.sock" }
    /// Whether the restricted socket is there.
    public var isForwarding: Bool { Self.isSocket(forwardedSocket) }
    /// The path of the socket for oidc-agent's clients, the value of their variable `OIDC_SOCK`.
    public var oidcAgentSocket: String { folder + "/oidc-agent.sock" }
    /// Whether the socket for oidc-agent's clients is there.
    public var isServingOIDCAgent: Bool { Self.isSocket(oidcAgentSocket) }
    /// The path of the lock file that the agent holds while it runs.
    var lock: String { folder + "/agent.lock" }
    /// The path of the lock file that a process holds while it starts an agent.
    var startLock: String { folder + "/start.lock" }

    /// Returns whether the folder exists. Throws `.configuration` if it exists and is not safe.
    func check() throws(AuthFailure) -> Bool {
        guard socket.utf8.count < UnixSocketAddress.limit else {
            throw AuthFailure(
                .configuration, UserMessage("socket.path_too_long", ["path": socket]), hint: "hint.shorten_runtime_dir")
        }
        // The kernel reports who serves it, and `yett ssh` gives it an unpredictable name.
        if let remoteSocket { return Self.isSocket(remoteSocket) }
        if let base, try !Self.check(base) { return false }
        return try Self.check(folder)
    }

    /// Creates the folder if it is missing, with mode 0700 regardless of the umask. Throws `.configuration` if it cannot be used.
    func prepare() throws(AuthFailure) {
        guard try !check() else { return }
        // Another process may create the folder at the same time; only the final result is checked.
        if mkdir(folder, 0o700) == 0 {
            chmod(folder, 0o700)
        } else if errno != EEXIST {
            throw AuthFailure(
                .configuration, UserMessage("file.cannot_create_path", ["path": folder, "detail": SystemError.last.text]),
                hint: "hint.set_own_runtime_dir")
        }
        guard try check() else {
            throw AuthFailure(.configuration, UserMessage("file.folder_was_removed", ["path": folder]), hint: "hint.try_again")
        }
    }

    private static func isSocket(_ path: String) -> Bool {
        var found = stat()
        return stat(path, &found) == 0 && found.st_mode & S_IFMT == S_IFSOCK
    }

    private static func check(_ path: String) throws(AuthFailure) -> Bool {
        var found = stat()
        guard lstat(path, &found) == 0 else {
            guard errno == ENOENT else {
                throw AuthFailure(.configuration, UserMessage("file.cannot_check_path", ["path": path, "detail": SystemError.last.text]))
            }
            return false
        }
        func refuse(_ code: String, _ hint: UserMessage) -> AuthFailure {
            AuthFailure(.configuration, UserMessage(code, ["path": path]), hint: hint)
        }
        guard found.st_mode & S_IFMT == S_IFDIR else {
            throw refuse("file.is_not_a_folder", "hint.replace_with_real_folder")
        }
        guard found.st_uid == geteuid() else { throw refuse("file.belongs_to_other_user", "hint.set_own_runtime_dir") }
        guard found.st_mode & 0o077 == 0 else {
            throw refuse("file.accessible_to_others", UserMessage("hint.run_chmod_700", ["path": path]))
        }
        return true
    }
}
