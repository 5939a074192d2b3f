import Glibc

/// A D-Bus daemon for one test, in its home. It ends with the last reference.
public final class MessageBus: Sendable {
    /// The value for `DBUS_SESSION_BUS_ADDRESS` and `DBUS_SYSTEM_BUS_ADDRESS`.
    public let address: String
    /// The path of its socket.
    public let path: String
    private let daemon: RunningProgram

    /// Starts the daemon.
    /// - Parameter socket: the socket's name in the home.
    public init(in home: TemporaryHome, socket: String) async throws {
        path = "\(home.path)/\(socket)"
        address = "unix:path=\(path)"
        // Without the system's service files, so that the bus starts no service by itself.
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

    /// Stops the bus while its clients are connected.
    public func end() async {
        daemon.signal(SIGTERM)
        _ = await daemon.finish()
    }
}
