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
    /// The user's surroundings as the calling process sees them; `nil` for those of the session service.
    public var surroundings: Surroundings?
    /// Answers that are known in advance. The sign-in does not ask these questions.
    public var answers: SignInForm.Answers = [:]
    /// Whether a choice in ``answers`` is accepted even if the provider does not offer it.
    public var allowsOtherChoices = false
    /// Whether an existing session is ended first, for kinds that allow one user at a time. A session of the same name at an issuer that
    /// the provider had before is ended by the new one.
    public var replacesSession = false

    package init(
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

/// The user's surroundings, which decide which sign-in methods are suitable.
public struct Surroundings: Equatable, Sendable {
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

    package init(isRemote: Bool, hasDisplay: Bool, isWSL: Bool, sshServer: SSHServer? = nil) {
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
    public static let desktop = Surroundings(isRemote: false, hasDisplay: true, isWSL: false)
}

/// A step of a sign-in, as shown to the user.
public struct SignInStep: Hashable, Sendable {
    /// A stable identifier.
    public let id: String
    /// The displayed title, in the imperative: "Discover the provider".
    public let title: UserMessage

    package init(id: String, title: UserMessage) {
        self.id = id
        self.title = title
    }

    /// Reads the provider's metadata.
    public static let discover = SignInStep(id: "discover", title: "step.discover")
    /// Reads provider-specific sign-in details, before ``discover``.
    public static let details = SignInStep(id: "details", title: "step.sign_in_details")
    /// Requests a new account.
    public static let signUp = SignInStep(id: "sign_up", title: "step.request_account")
    /// Requests the recovery of an account.
    public static let recover = SignInStep(id: "recover", title: "step.request_recovery")
    /// Opens the sign-in methods: the port and the URL for the browser.
    public static let open = SignInStep(id: "open", title: "step.open_browser")
    /// Waits until the user has signed in.
    public static let wait = SignInStep(id: "wait", title: "step.wait_for_sign_in")
    /// Exchanges the code for tokens.
    public static let exchange = SignInStep(id: "exchange", title: "step.exchange_code")
    /// Verifies the user's identity.
    public static let verify = SignInStep(id: "verify", title: "step.verify_identity")
    /// Seals the session.
    public static let seal = SignInStep(id: "seal", title: "step.seal_session")

    /// The default steps: OpenID Connect's code flow.
    public static let standard = [discover, open, wait, exchange, verify, seal]
}

/// A sign-in method. Several may be open at once; the first that succeeds ends the others.
public enum SignInMethod: Equatable, Sendable {
    /// A URL for a browser on this machine. `redirect` is the URI on which the callback is awaited.
    case browser(url: WebURL, redirect: String)
    /// A page where the user creates an account, at a provider that cannot start the sign-in with that. It precedes
    /// ``browser(url:redirect:)``: open this page first, and the other one when the user confirms that the account exists.
    case signUpPage(WebURL)
    /// A code to type at a page on any device (RFC 8628).
    case device(DeviceCodePrompt)
    /// The command to run on the user's machine that forwards ``browser(url:redirect:)`` through SSH to this machine.
    case sshForward(command: String)
    /// The redirect URL, pasted from a browser on another machine. It is a credential: the user must give it only to this program.
    case paste
}

/// A report of a sign-in attempt, in order. ``finished(_:)`` is sent exactly once, as the last one.
public enum SignInEvent: Equatable, Sendable {
    /// The expected steps, in order, as far as they are known. Other steps may start between them.
    case planned([SignInStep])
    /// A step started.
    case began(SignInStep)
    /// A step completed.
    case completed(SignInStep)
    /// A step, also one that was completed, turned out not to work: the provider does not answer any more. The attempt continues, because
    /// the user's browser may reach what this machine does not.
    case stepFailed(SignInStep, AuthFailure)
    /// The hosts to be contacted, in ASCII: where the user signs in, and where the code is redeemed.
    case hosts(authorization: String, token: String)
    /// A sign-in method is available. For a browser: the front end now opens its URL.
    case available(SignInMethod)
    /// The attempt needs answers to continue; pass them to `answer(_:to:)` of ``SessionService``. The attempt waits until then.
    case asked(SignInForm)
    /// No device code is open, and the ``SessionService`` can request one. Sent again when a code has expired.
    case deviceCodeOffered
    /// The provider refused to issue a device code for this sign-in. The other sign-in methods stay open.
    case deviceCodeRefused(reason: UserMessage)
    /// The page where the user gets the authenticator app that the browser opens for the sign-in.
    case authenticator(page: WebURL)
    /// When the attempt times out.
    case deadline(Timestamp)
    /// The listener received a callback that does not belong to this attempt. The attempt continues.
    case ignoredCallback(reason: UserMessage)
    /// A warning for the user. The attempt continues.
    case warning(UserMessage)
    /// The attempt ended with a session or a failure.
    case finished(Result<SessionSummary, AuthFailure>)
    /// The attempt ended without a session, and did not fail.
    case finishedWithoutSession(NoSession)

    /// Whether this is the last event of an attempt.
    public var isLast: Bool {
        switch self {
        case .finished, .finishedWithoutSession: true
        default: false
        }
    }
}

/// One run of a sign-in flow.
public struct SignInAttempt: Sendable {
    /// The identifier of an attempt at the session service.
    public typealias ID = Identifier<SignInAttempt>

    /// The identifier to pass to the session service.
    public let id: ID
    /// The events of the attempt. The stream ends after the event that ``SignInEvent/isLast``. If the last observer stops reading, the
    /// attempt is cancelled.
    public let events: AsyncStream<SignInEvent>

    package init(id: ID, events: AsyncStream<SignInEvent>) {
        self.id = id
        self.events = events
    }
}

/// The visible part of a device sign-in (RFC 8628 section 3.3). The device code is a secret and is not part of it.
public struct DeviceCodePrompt: Equatable, Sendable {
    /// The code that the user compares with, or types at, the verification page.
    public var userCode: String
    /// The verification page. It can be opened on any device.
    public var page: WebURL
    /// The verification page with the code already filled in, at the same origin.
    public var completePage: WebURL?
    /// A QR code of the page, light on dark, one string per line; empty if none can be drawn.
    public var qrCode: [String]

    package init(userCode: String, page: WebURL, completePage: WebURL? = nil, qrCode: [String] = []) {
        self.userCode = userCode
        self.page = page
        self.completePage = completePage
        self.qrCode = qrCode
    }

    /// The host of the page, in ASCII, so that the user can check it before typing a code.
    public var host: String { page.origin.authority }
}
