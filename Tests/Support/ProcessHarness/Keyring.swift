import Glibc
import Synchronization

/// gnome-keyring on a session bus of its own, in a test's home. Both end with the last reference.
public final class Keyring: Sendable {
    /// The missing programs that prevent its use; nil if all are installed.
    public static var obstacle: String? {
        let missing = ["dbus-daemon", "dbus-send", "gnome-keyring-daemon"].filter { Product.installed($0) == nil }
        return missing.isEmpty ? nil : "not installed: \(missing.joined(separator: ", "))"
    }

    /// The environment variables with which a program finds the bus.
    public let variables: [String: String?]
    private let home: TemporaryHome
    private let bus: MessageBus
    private let daemon: Mutex<RunningProgram?>

    private static let collection = "/org/freedesktop/secrets/collection/login"

    /// Starts a bus and, if `isUnlocked`, the keyring daemon with a password.
    /// - Parameter isUnlocked: if false, call ``startDaemon(password:)``. Without a password, only a keyring stored in the home exists.
    public init(in home: TemporaryHome, isUnlocked: Bool = true) async throws {
        self.home = home
        bus = try await MessageBus(in: home, socket: "run/bus")
        variables = ["DBUS_SESSION_BUS_ADDRESS": bus.address]
        daemon = Mutex(nil)
        if isUnlocked { try await startDaemon(password: "a password of a person") }
    }

    deinit { daemon.withLock { $0?.signal(SIGKILL) } }

    /// Starts the keyring daemon, and stops the running one first.
    /// - Parameter password: the password of the login keyring, which is created if missing; without one, an existing keyring stays locked.
    public func startDaemon(password: String? = nil) async throws {
        await stopDaemon()
        let started = try Program(
            Product.required("gnome-keyring-daemon"), (password == nil ? [] : ["--unlock"]) + ["--components=secrets", "--foreground"],
            environment: home.environment(with: variables), folder: home.path, input: password ?? "", limit: .seconds(600)
        ).start()
        daemon.withLock { $0 = started }
        // The daemon is on the bus before it has read its password; afterwards there is a default keyring.
        let isReady: @Sendable (String) -> Bool = { password == nil || $0.contains(Self.collection) }
        try await eventually("the keyring's program does not come up") { [self] in
            guard let answer = try? await ask("/org/freedesktop/secrets", "Service.ReadAlias", "string:default") else { return false }
            return isReady(answer)
        }
    }

    /// Stops the keyring daemon; its stored items stay in the home.
    public func stopDaemon() async {
        let running = daemon.withLock { daemon in
            defer { daemon = nil }
            return daemon
        }
        running?.signal(SIGTERM)
        _ = await running?.finish()
    }

    /// Locks the login keyring, as a desktop does.
    public func lock() async throws {
        _ = try await ask("/org/freedesktop/secrets", "Service.Lock", "array:objpath:\(Self.collection)")
    }

    /// Returns the object paths of the stored items.
    public func items() async throws -> [String] {
        let answer = try await ask(
            Self.collection, "org.freedesktop.DBus.Properties.Get", "string:org.freedesktop.Secret.Collection", "string:Items")
        return answer.split(separator: "\"").map(String.init).filter { $0.hasPrefix(Self.collection + "/") }
    }

    /// Removes all stored items.
    public func removeItems() async throws {
        for item in try await items() { _ = try await ask(item, "Item.Delete") }
    }

    /// Stops the bus while its clients are connected.
    public func endBus() async { await bus.end() }

    private func ask(_ path: String, _ method: String, _ arguments: String...) async throws -> String {
        let name = method.hasPrefix("org.") ? method : "org.freedesktop.Secret.\(method)"
        let result = try await Program(
            Product.required("dbus-send"),
            ["--session", "--print-reply", "--reply-timeout=60000", "--dest=org.freedesktop.secrets", path, name] + arguments,
            environment: home.environment(with: variables), limit: .seconds(300)
        ).run()
        guard result.status == 0 else {
            throw HarnessError("\(method): \(result.errors.split(separator: "\n").joined(separator: "; "))")
        }
        return result.output
    }
}
