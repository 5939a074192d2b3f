/// The parameters of a sign-in attempt.
public struct SignInRequest: Equatable, Sendable {
    /// The purpose: signing in, creating an account, or recovering an account whose authenticator is lost.
    public enum Purpose: String, Sendable, CaseIterable {
        case signIn
        case signUp
        case recover
    }

    /// The way that the user completes the sign-in.
    public enum Flow: String, Sendable, CaseIterable {
        /// All suitable sign-in methods at once.
        case auto
        case browser
        case device
        case manual
    }

    /// The provider to sign in to.
    public var provider: ProviderName
    /// The purpose of the attempt.
    public var purpose: Purpose
    /// The label for the account; `nil` for the default label.
    public var account: String?
    /// The flow to use.
    public var flow: Flow
    /// The scopes to request; empty for the configured ones.
    public var scopes: ScopeSet = []
    /// The `login_hint` parameter.
    public var loginHint: String?
    /// The `prompt` parameter (OIDC Core section 3.1.2.1).
    public var prompt: String?
    /// The maximum time since the user last authenticated, in seconds.
    public var maxAge: Int?
    /// The `acr_values` parameter.
    public var acrValues: String?
    /// The `claims` parameter: the claims to request, as a JSON object (OpenID Connect Core section 5.5).
    public var claims: String?
    /// The `ui_locales` parameter.
    public var uiLocales: String?
    /// The port of the loopback redirect; `nil` for the configured one.
    public var port: Int?
    /// The time limit; `nil` for the configured one.
    public var timeout: Duration?
    /// The resources that the tokens are for (RFC 8707); empty for the configured ones.
    public var resources: [String]
    /// The user's environment as the calling process sees it; `nil` for that of the session service.
    public var userEnvironment: SignInEnvironment?
    /// Answers that are known in advance. The sign-in does not ask these questions.
    public var answers: SignInForm.Answers = [:]
    /// Whether a choice in ``answers`` is accepted even if the provider does not offer it.
    public var allowsOtherChoices = false
    /// Whether an existing session is ended first, for kinds that allow one user at a time.
    public var replacesSession = false

    /// Creates a sign-in request.
    public init(
        provider: ProviderName, purpose: Purpose = .signIn, account: String? = nil, flow: Flow = .auto, resources: [String] = []
    ) {
        self.provider = provider
        self.purpose = purpose
        self.account = account
        self.flow = flow
        self.resources = resources
    }
}

/// The starter of a sign-in when a tool needs a token and there is no session: `sign_in` in `[providers.NAME]`.
public enum SignInMode: String, Sendable, CaseIterable {
    /// Only the user, with `yett login` or in the app.
    case manual
    /// Also a tool's request, if a user is at a terminal or a desktop.
    case onDemand = "on-demand"
}

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
                address.utf8.allSatisfy({ $0.hexadecimalValue != nil || ".:".utf8.contains($0) })
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
