public import AuthModel

/// The sign-in of users at a provider.
public protocol SignInAdapter: ProviderRole {
    /// Returns the form fields that the provider may ask the user for. Only these fields may be answered in advance.
    func askedFields(_ purpose: SignInRequest.Purpose) -> Set<String>

    /// Whether users can create an account there; `nil` if only the provider's metadata can tell.
    var offersSignUp: Bool? { get }

    /// Whether a user who has lost the authenticator of an account can recover the account.
    var recovers: Bool { get }

    /// Returns the steps of a sign-in that are known in advance. The user sees each one complete.
    func steps(of request: SignInRequest) -> [SignInStep]

    /// Runs one sign-in to its end. Throws the failure that ended it. When cancelled, it returns soon, with the port closed.
    ///
    /// - Parameter sessions: the other sessions, for a kind that makes its own from one of them.
    func signIn(
        _ request: SignInRequest, attempt: AttemptReporter, sessions: any BaseSessions
    ) async throws(AuthFailure) -> SignInOutcome

    /// Creates a guest session; `nil` if the kind has none. `record` is the previous session.
    func guest(after record: SessionRecord?) async throws(AuthFailure) -> SignInResult?

    /// The session of another provider that sessions here are made from. The user of that session determines the user here.
    var base: SessionName? { get }

    /// Returns the base session that this session was made from.
    func base(of record: SessionRecord) -> SessionName?
}

extension SignInAdapter {
    /// Default: none.
    public func askedFields(_ purpose: SignInRequest.Purpose) -> Set<String> { [] }

    /// Default: true with `sign_up_url`, else `nil`.
    public var offersSignUp: Bool? { configuration.signUpURL == nil ? nil : true }

    /// Default: false.
    public var recovers: Bool { false }

    /// Default: the standard steps.
    public func steps(of request: SignInRequest) -> [SignInStep] { SignInStep.standard }

    /// Default: `nil`.
    public func guest(after record: SessionRecord?) async throws(AuthFailure) -> SignInResult? { nil }

    /// Default: `nil`.
    public var base: SessionName? { nil }

    /// Default: the configured base session.
    public func base(of record: SessionRecord) -> SessionName? { base }
}
