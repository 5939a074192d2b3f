/// The user's environment, which decides which sign-in methods are suitable.
public struct SignInEnvironment: Equatable, Sendable {
    /// Whether the user is connected through SSH, so that they probably cannot see a browser on this machine.
    public var isRemote: Bool
    /// Whether an X11 or Wayland display is available.
    public var hasDisplay: Bool
    /// Whether this is WSL, where `wslview` opens the Windows browser.
    public var isWSL: Bool
    /// This machine's end of the SSH connection, as the user's machine reached it.
    public var sshServer: SSHServer?

    /// The address and port at which this machine's SSH server was reached.
    public struct SSHServer: Equatable, Sendable {
        /// The IP address literal.
        public let address: String
        /// The port number.
        public let port: Int

        /// Creates a server; returns `nil` if the address is not an address literal or the port is invalid, because both become part of a
        /// command that the user runs.
        public init?(address: String, port: Int = 22) {
            guard (1...65_535).contains(port), !address.isEmpty,
                address.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit || ".:".utf8.contains($0) })
            else { return nil }
            self.address = address
            self.port = port
        }

        /// Parses `SSH_CONNECTION`: client address, client port, server address, server port. Returns `nil` for anything else.
        init?(connection: String) {
            let parts = connection.split(separator: " ")
            guard parts.count == 4, let port = Int(parts[3]) else { return nil }
            self.init(address: String(parts[2]), port: port)
        }

        /// Returns the command for the user's machine that forwards a loopback port to this machine.
        ///
        /// - Parameter host: the literal or name that this machine listens on.
        public func forwarding(port: Int, to host: String) -> String {
            let target = host.contains(":") ? "[\(host)]" : host == "localhost" ? "127.0.0.1" : host
            let ownPort = self.port == 22 ? "" : "-p \(self.port) "
            return "ssh \(ownPort)-L \(port):\(target):\(port) \(address)"
        }
    }

    /// Creates a sign-in environment.
    public init(isRemote: Bool, hasDisplay: Bool, isWSL: Bool, sshServer: SSHServer? = nil) {
        self.isRemote = isRemote
        self.hasDisplay = hasDisplay
        self.isWSL = isWSL
        self.sshServer = sshServer
    }

    /// Reads the environment variables.
    public init(environment: [String: String]) {
        func isSet(_ name: String) -> Bool { environment[name].map { !$0.isEmpty } ?? false }
        isRemote = isSet("SSH_CONNECTION") || isSet("SSH_TTY")
        hasDisplay = isSet("DISPLAY") || isSet("WAYLAND_DISPLAY")
        isWSL = isSet("WSL_DISTRO_NAME") || isSet("WSL_INTEROP")
        sshServer = environment["SSH_CONNECTION"].flatMap(SSHServer.init(connection:))
    }

    /// A desktop with a local browser.
    public static let desktop = SignInEnvironment(isRemote: false, hasDisplay: true, isWSL: false)
}
