/// What one sign-in attempt is asked to do.
public struct SignInRequest: Equatable, Sendable {
    /// Signing in, making an account first, or coming back to an account whose authenticator is lost.
    public enum Purpose: String, Sendable, CaseIterable {
        case signIn
        case signUp
        case recover
    }

    /// How the person is reached.
    public enum Flow: String, Sendable, CaseIterable {
        /// Every way that fits, all open at once.
        case auto
        case browser
        case device
        case manual
    }

    public var provider: ProviderName
    public var purpose: Purpose
    /// The label the account is to have.
    public var account: String?
    public var flow: Flow
    /// Scopes instead of the configured ones; empty: the configured ones.
    public var scopes: ScopeSet
    public var loginHint: String?
    /// OIDC Core section 3.1.2.1 `prompt`.
    public var prompt: String?
    /// Seconds since the person last showed who they are, at most.
    public var maxAge: Int?
    public var acrValues: String?
    public var uiLocales: String?
    /// The port of the loopback redirect, instead of the configured one.
    public var port: Int?
    /// Instead of the provider's configured time limit.
    public var timeout: Duration?
    /// What the tokens are to be for (RFC 8707), instead of what is configured; empty: what is configured.
    public var resources: [String]
    /// Where the person is, as the process that asks sees it; `nil`: where the session service is.
    public var surroundings: SignInEnvironment?
    /// Answers to questions that the sign-in may ask, known beforehand: what is answered here is not asked.
    public var answers: SignInForm.Answers
    /// Whether a choice among ``answers`` is taken even where the provider does not offer it.
    public var allowsOtherChoices: Bool
    /// Whether a session that is there is ended for it, at kinds that have one user at a time.
    public var replacesSession: Bool

    public init(
        provider: ProviderName, purpose: Purpose = .signIn, account: String? = nil, flow: Flow = .auto, scopes: ScopeSet = [],
        loginHint: String? = nil, prompt: String? = nil, maxAge: Int? = nil, acrValues: String? = nil, uiLocales: String? = nil,
        port: Int? = nil, timeout: Duration? = nil, resources: [String] = [], surroundings: SignInEnvironment? = nil,
        answers: SignInForm.Answers = [:], allowsOtherChoices: Bool = false, replacesSession: Bool = false
    ) {
        self.provider = provider
        self.purpose = purpose
        self.account = account
        self.flow = flow
        self.scopes = scopes
        self.loginHint = loginHint
        self.prompt = prompt
        self.maxAge = maxAge
        self.acrValues = acrValues
        self.uiLocales = uiLocales
        self.port = port
        self.timeout = timeout
        self.resources = resources
        self.surroundings = surroundings
        self.answers = answers
        self.allowsOtherChoices = allowsOtherChoices
        self.replacesSession = replacesSession
    }
}
