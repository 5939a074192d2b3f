/// Where the person is who asks for a sign-in: what decides which ways in fit.
public struct SignInEnvironment: Equatable, Sendable {
    /// Whether the person came through SSH, so a browser on this machine is likely not in front of them.
    public var isRemote: Bool
    /// Whether an X11 or Wayland display is there.
    public var hasDisplay: Bool
    /// Whether this is Linux under Windows, where `wslview` reaches the Windows browser.
    public var isWSL: Bool
    /// This machine's end of the SSH connection, as the person's machine reached it.
    public var sshServer: SSHServer?

    /// An address and port on which this machine's SSH server was reached.
    public struct SSHServer: Equatable, Sendable {
        public let address: String
        public let port: Int

        /// `nil` for what is no address literal or no port: it becomes part of a line that is shown to be run.
        public init?(address: String, port: Int = 22) {
            guard (1...65_535).contains(port), !address.isEmpty,
                address.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit || ".:".utf8.contains($0) })
            else { return nil }
            self.address = address
            self.port = port
        }

        /// Reads `SSH_CONNECTION`: the client's address and port, then the server's. `nil` for anything else.
        init?(connection: String) {
            let parts = connection.split(separator: " ")
            guard parts.count == 4, let port = Int(parts[3]) else { return nil }
            self.init(address: String(parts[2]), port: port)
        }

        /// The command that, on the person's machine, brings a loopback port to this one.
        ///
        /// - Parameter host: the literal or name that this machine listens on.
        public func forwarding(port: Int, to host: String) -> String {
            let target = host.contains(":") ? "[\(host)]" : host == "localhost" ? "127.0.0.1" : host
            let ownPort = self.port == 22 ? "" : "-p \(self.port) "
            return "ssh \(ownPort)-L \(port):\(target):\(port) \(address)"
        }
    }

    public init(isRemote: Bool, hasDisplay: Bool, isWSL: Bool, sshServer: SSHServer? = nil) {
        self.isRemote = isRemote
        self.hasDisplay = hasDisplay
        self.isWSL = isWSL
        self.sshServer = sshServer
    }

    /// Read from environment variables.
    public init(environment: [String: String]) {
        func isSet(_ name: String) -> Bool { environment[name].map { !$0.isEmpty } ?? false }
        isRemote = isSet("SSH_CONNECTION") || isSet("SSH_TTY")
        hasDisplay = isSet("DISPLAY") || isSet("WAYLAND_DISPLAY")
        isWSL = isSet("WSL_DISTRO_NAME") || isSet("WSL_INTEROP")
        sshServer = environment["SSH_CONNECTION"].flatMap(SSHServer.init(connection:))
    }

    /// A desktop, with a browser in front of the person.
    public static let desktop = SignInEnvironment(isRemote: false, hasDisplay: true, isWSL: false)
}
