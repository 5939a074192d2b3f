import AuthModel
import Glibc
import System

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

    /// Creates the location for an environment. An empty or relative `XDG_RUNTIME_DIR` counts as not set.
    public init(environment: [String: String]) {
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
    public var socket: String { folder + "/agent.sock" }
    /// The path of the lock file that the agent holds while it runs.
    var lock: String { folder + "/agent.lock" }
    /// The path of the lock file that a process holds while it starts an agent.
    var startLock: String { folder + "/start.lock" }

    /// Returns whether the folder exists. Throws `.configuration` if it exists and is not safe.
    func check() throws(AuthFailure) -> Bool {
        guard socket.utf8.count < SocketAddress.limit else {
            throw AuthFailure(
                .configuration, "the path of the agent's socket is too long: \(socket)", hint: "set XDG_RUNTIME_DIR to a shorter folder")
        }
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
                .configuration, "cannot create \(folder): \(SystemError.last.text)", hint: "set XDG_RUNTIME_DIR to your own folder")
        }
        guard try check() else { throw AuthFailure(.configuration, "\(folder) was removed", hint: "try again") }
    }

    private static func check(_ path: String) throws(AuthFailure) -> Bool {
        var found = stat()
        guard lstat(path, &found) == 0 else {
            guard errno == ENOENT else { throw AuthFailure(.configuration, "cannot check \(path): \(SystemError.last.text)") }
            return false
        }
        func refuse(_ reason: String, _ hint: String) -> AuthFailure { AuthFailure(.configuration, "\(path) \(reason)", hint: hint) }
        guard found.st_mode & S_IFMT == S_IFDIR else {
            throw refuse("is not a folder", "replace it with a real folder, or set XDG_RUNTIME_DIR to another one")
        }
        guard found.st_uid == geteuid() else { throw refuse("belongs to another user", "set XDG_RUNTIME_DIR to your own folder") }
        guard found.st_mode & 0o077 == 0 else { throw refuse("is accessible to other users", "run: chmod 700 \(ShellWord(path))") }
        return true
    }
}
