import Glibc

/// A D-Bus daemon of a test's own, in its home. It ends with the last reference.
public final class MessageBus: Sendable {
    /// As it stands in `DBUS_SESSION_BUS_ADDRESS` and `DBUS_SYSTEM_BUS_ADDRESS`.
    public let address: String
    /// Its socket.
    public let path: String
    private let daemon: RunningProgram

    /// Starts it.
    /// - Parameter socket: the name of its socket in the home.
    public init(in home: TemporaryHome, socket: String) async throws {
        path = "\(home.path)/\(socket)"
        address = "unix:path=\(path)"
        // Without the system's services: nothing starts by itself that the test did not start.
        let settings = try home.write(
            """
            <busconfig>
              <type>session</type>
              <listen>\(address)</listen>
              <auth>EXTERNAL</auth>
              <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
            </busconfig>
            """, to: "\(socket).conf")
        daemon = try Program(
            Product.required("dbus-daemon"), ["--config-file=\(settings)", "--nofork", "--nopidfile", "--print-address"],
            environment: home.environment, folder: home.path, limit: .seconds(600)
        ).start()
        try await daemon.until { $0.output.contains("\n") }
    }

    deinit { daemon.signal(SIGKILL) }

    /// Ends it under everybody who is on it.
    public func end() async {
        daemon.signal(SIGTERM)
        _ = await daemon.finish()
    }
}
