/// A step of a sign-in, as shown to the user.
public struct SignInStep: Hashable, Sendable {
    /// A stable identifier.
    public let id: String
    /// The displayed title, in the imperative: "Discover the provider".
    public let title: UserMessage

    /// Creates a sign-in step.
    public init(id: String, title: UserMessage) {
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
    public struct ID: Hashable, Sendable {
        /// The identifier as text.
        public let text: String
        /// Wraps the text of an identifier.
        public init(_ text: String) { self.text = text }
    }

    /// The identifier to pass to the session service.
    public let id: ID
    /// The events of the attempt. The stream ends after the event that ``SignInEvent/isLast``. If the last observer stops reading, the attempt is
    /// cancelled.
    public let events: AsyncStream<SignInEvent>

    /// Creates a sign-in attempt.
    public init(id: ID, events: AsyncStream<SignInEvent>) {
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

    /// Creates a device code prompt.
    public init(userCode: String, page: WebURL, completePage: WebURL? = nil, qrCode: [String] = []) {
        self.userCode = userCode
        self.page = page
        self.completePage = completePage
        self.qrCode = qrCode
    }

    /// The host of the page, in ASCII, so that the user can check it before typing a code.
    public var host: String { page.origin.authority }
}
