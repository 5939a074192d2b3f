import Glibc
import ProcessHarness

/// A real sshd on loopback for the user who runs the tests, with keys and a configuration of its own. It ends with the last reference.
final class SSHServer {
    /// The options of ssh to reach it.
    let options: [String]
    let host: String
    private let process: RunningProgram

    init(in home: TemporaryHome) async throws {
        for name in ["host", "user"] {
            let made = try await Program(
                "/usr/bin/ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", "\(home.path)/\(name)"], environment: home.environment
            ).run()
            guard made.status == 0 else { throw HarnessError("no key: \(made)") }
        }
        let port = try FreePort.find()
        let file = try home.write(
            """
            ListenAddress 127.0.0.1:\(port)
            HostKey \(home.path)/host
            AuthorizedKeysFile \(home.path)/user.pub
            PidFile none
            StrictModes no
            PasswordAuthentication no
            KbdInteractiveAuthentication no
            UsePAM no
            PermitRootLogin yes
            """, to: "sshd_config")
        // Where sshd keeps its unprivileged part; the package makes it only when the system starts.
        if geteuid() == 0 { mkdir("/run/sshd", 0o755) }
        guard let entry = getpwuid(geteuid()) else { throw HarnessError("this user has no name") }
        host = String(cString: entry.pointee.pw_name) + "@127.0.0.1"
        options = [
            "-F", "none", "-p", "\(port)", "-i", "\(home.path)/user", "-o", "IdentitiesOnly=yes", "-o", "StrictHostKeyChecking=no", "-o",
            "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR",
        ]
        process = try Program(
            "/usr/sbin/sshd", ["-D", "-e", "-f", file], environment: home.environment, folder: home.path, limit: .seconds(600)
        ).start()
        try await process.until { $0.errors.contains("Server listening") }
    }

    /// A connection's own process ends with its client.
    deinit { process.signal(SIGTERM) }
}
