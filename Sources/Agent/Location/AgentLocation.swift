import AuthModel
import Glibc
import System

/// Where the agent of this person is reached: a socket in a folder that only they can enter.
///
/// `$XDG_RUNTIME_DIR/yett`; where that variable is not set, `/tmp/yett-UID`. Either is used only when it, and the runtime folder above
/// it, belong to the person and to nobody else: in `/tmp` the sticky bit keeps others from renaming it, and a folder that another
/// user put there first is refused.
public struct AgentLocation: Equatable, Sendable {
    /// The folder of the socket.
    public let folder: String
    /// The folder above it, where that must be the person's own as well.
    let base: String?

    /// The place that an environment names. An empty or relative `XDG_RUNTIME_DIR` counts as not set.
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

    /// The socket.
    public var socket: String { folder + "/agent.sock" }
    /// Held locked by the agent for as long as it lives.
    var lock: String { folder + "/agent.lock" }
    /// Held locked by whoever starts an agent.
    var startLock: String { folder + "/start.lock" }

    /// Whether the folder is there; throws `.configuration` where it is, and is not safe.
    func check() throws(AuthFailure) -> Bool {
        guard socket.utf8.count < SocketAddress.limit else {
            throw AuthFailure(
                .configuration, "the path of the agent's socket is too long: \(socket)", hint: "set XDG_RUNTIME_DIR to a shorter folder")
        }
        if let base, try !Self.check(base) { return false }
        return try Self.check(folder)
    }

    /// Makes the folder where there is none, with mode 0700 whatever the umask; throws `.configuration` where it cannot be used.
    func prepare() throws(AuthFailure) {
        guard try !check() else { return }
        // Another process may make it at the same time: what counts is what is there in the end.
        if mkdir(folder, 0o700) == 0 {
            chmod(folder, 0o700)
        } else if errno != EEXIST {
            throw AuthFailure(
                .configuration, "cannot make \(folder): \(SystemError.last.text)", hint: "set XDG_RUNTIME_DIR to a folder of yours")
        }
        guard try check() else { throw AuthFailure(.configuration, "\(folder) is gone again", hint: "try again") }
    }

    private static func check(_ path: String) throws(AuthFailure) -> Bool {
        var found = stat()
        guard lstat(path, &found) == 0 else {
            guard errno == ENOENT else { throw AuthFailure(.configuration, "cannot look at \(path): \(SystemError.last.text)") }
            return false
        }
        func refuse(_ reason: String, _ hint: String) -> AuthFailure { AuthFailure(.configuration, "\(path) \(reason)", hint: hint) }
        guard found.st_mode & S_IFMT == S_IFDIR else {
            throw refuse("is not a folder", "put a real folder in its place, or set XDG_RUNTIME_DIR to another one")
        }
        guard found.st_uid == geteuid() else { throw refuse("belongs to another user", "set XDG_RUNTIME_DIR to a folder of yours") }
        guard found.st_mode & 0o077 == 0 else { throw refuse("is open to others", "run: chmod 700 \(ShellWord(path))") }
        return true
    }
}
