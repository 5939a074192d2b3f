/// The parameters of a sign-in attempt.
public struct SignInRequest: Equatable, Sendable {
    /// The purpose: signing in, creating an account, or recovering an account whose authenticator is lost.
    public enum Purpose: String, Sendable, CaseIterable {
        case signIn
        case signUp
        case recover
    }

    /// The user's way of completing the sign-in.
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
    public var scopes: ScopeSet
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
    public var answers: SignInForm.Answers
    /// Whether a choice in ``answers`` is accepted even if the provider does not offer it.
    public var allowsOtherChoices: Bool
    /// Whether an existing session is ended first, for kinds that allow one user at a time.
    public var replacesSession: Bool

    /// Creates a sign-in request.
    public init(
        provider: ProviderName, purpose: Purpose = .signIn, account: String? = nil, flow: Flow = .auto, scopes: ScopeSet = [],
        loginHint: String? = nil, prompt: String? = nil, maxAge: Int? = nil, acrValues: String? = nil, uiLocales: String? = nil,
        port: Int? = nil, timeout: Duration? = nil, resources: [String] = [], userEnvironment: SignInEnvironment? = nil,
        answers: SignInForm.Answers = [:], allowsOtherChoices: Bool = false, replacesSession: Bool = false, claims: String? = nil
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
        self.userEnvironment = userEnvironment
        self.answers = answers
        self.allowsOtherChoices = allowsOtherChoices
        self.replacesSession = replacesSession
        self.claims = claims
    }
}
