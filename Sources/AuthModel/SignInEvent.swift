/// A step of a sign-in, as the person sees it tick.
public struct SignInStep: Hashable, Sendable {
    /// A stable word for it.
    public let id: String
    /// What is shown, in the imperative: "discover the provider".
    public let title: String

    public init(id: String, title: String) {
        self.id = id
        self.title = title
    }

    public static let discover = SignInStep(id: "discover", title: "Discover the provider")
    /// Before ``discover``, at providers that tell by a way of their own how they are signed in to.
    public static let details = SignInStep(id: "details", title: "Ask how this provider is signed in to")
    public static let signUp = SignInStep(id: "sign_up", title: "Ask for the account")
    public static let recover = SignInStep(id: "recover", title: "Ask for the recovery")
    public static let open = SignInStep(id: "open", title: "Open your browser")
    public static let wait = SignInStep(id: "wait", title: "Wait for you to sign in")
    public static let exchange = SignInStep(id: "exchange", title: "Exchange the code for tokens")
    public static let verify = SignInStep(id: "verify", title: "Verify who you are")
    public static let seal = SignInStep(id: "seal", title: "Seal the session")

    /// The steps where nothing else is said: OpenID Connect's code flow.
    public static let usual = [discover, open, wait, exchange, verify, seal]
}

/// A way for the person to go through with a sign-in. Several may be open at once; the first to succeed ends the others.
public enum SignInMethod: Equatable, Sendable {
    /// A URL for a browser on this machine. `redirect` is where the answer is awaited.
    case browser(url: WebURL, redirect: String)
    /// Where an account is made, at a provider that cannot be asked to begin with that. It comes before ``browser(url:redirect:)``: open
    /// this page, and the other one when the person says that the account is made.
    case signUpPage(WebURL)
    /// RFC 8628: a code to type at a page on any device.
    case device(DeviceCodePrompt)
    /// The command line, for the machine that the person sits at, which brings ``browser(url:redirect:)`` over an SSH connection to here.
    case sshForward(command: String)
    /// The redirect URL, pasted from a browser on another machine. It is a credential: only this program may be given it.
    case paste
}

/// What a sign-in attempt reports, in order; ``finished(_:)`` comes exactly once, and last.
public enum SignInEvent: Equatable, Sendable {
    /// The steps there will be, in their order, as far as that is known beforehand. Another one may begin between them.
    case planned([SignInStep])
    /// A step began.
    case began(SignInStep)
    /// A step was done.
    case completed(SignInStep)
    /// The hosts that will be spoken to, in ASCII: where the person signs in, and where the code is redeemed.
    case hosts(authorization: String, token: String)
    /// A way in is open.
    case opened(SignInMethod)
    /// Something must be known before it can go on; ``SessionService/answer(_:to:)`` says it. Nothing else happens meanwhile.
    case asked(SignInForm)
    /// No device code is open, and one can be had from ``SessionService/requestDeviceCode(for:)``. Comes again when a code has expired.
    case deviceCodeOffered
    /// The provider was asked for a device code as one more way in, and gives none for this sign-in; the other ways are open.
    case deviceCodeRefused(reason: String)
    /// Where the person gets what they sign in with, such as an authenticator: the browser hands over to it.
    case authenticator(page: WebURL)
    /// When the attempt ends by itself.
    case deadline(Timestamp)
    /// An answer reached the listener that was not this attempt's; it goes on.
    case ignoredCallback(reason: String)
    /// Something the person should know; the attempt goes on.
    case warning(String)
    /// The end: a session, or the reason why there is none.
    case finished(Result<SessionSummary, AuthFailure>)
}

/// One run of a flow, from the request to its end.
public struct SignInAttempt: Sendable {
    /// Names an attempt towards the session service.
    public struct ID: Hashable, Sendable {
        public let text: String
        public init(_ text: String) { self.text = text }
    }

    public let id: ID
    /// Ends after ``SignInEvent/finished(_:)``. When nobody listens any more, the attempt is cancelled.
    public let events: AsyncStream<SignInEvent>

    public init(id: ID, events: AsyncStream<SignInEvent>) {
        self.id = id
        self.events = events
    }
}
