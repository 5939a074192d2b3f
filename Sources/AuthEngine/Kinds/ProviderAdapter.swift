public import AuthModel
public import SessionStore

/// What a kind of provider does, which differs from one to the next; what it knows beforehand stands in its ``KindDefinition``. One folder
/// each; the engine, the listener, the store and the screens know no kind.
///
/// An adapter holds no state of its own: what must be remembered of a session stands in its ``AuthModel/SessionRecord``.
public protocol ProviderAdapter: Sendable {
    var configuration: ProviderConfiguration { get }

    /// Whether a session is of the provider as it is configured now, by the issuer it was made at; found out without the network. What was
    /// made at another one is neither used here nor shown to it.
    func isOwn(_ record: SessionRecord) -> Bool

    /// Where the person will be sent, before anything was asked of the network. ASCII.
    var address: String { get }

    /// Where a session was signed in: ``address``, but for a server that stands beside it. ASCII.
    func address(of session: SessionSummary) -> String

    /// The fields that the person may be asked for there: those, and no others, may be answered beforehand.
    func askedFields(_ purpose: SignInRequest.Purpose) -> Set<String>

    /// What the provider says of signing in there by a way of its own, asked anew; `nil` where its metadata says all there is.
    func details() async throws(AuthFailure) -> ProviderDetails?

    /// Asks what can be asked of the provider without a person, and says in a few words what was found; `nil` where there is nothing to ask
    /// beside published metadata.
    func finding() async throws(AuthFailure) -> String?

    /// Whether an account can be made there; `nil` where only the provider's metadata can say so.
    var offersSignUp: Bool? { get }

    /// Whether there is a way back to an account whose authenticator is lost.
    var recovers: Bool { get }

    /// Whether guests are shown that they can sign in, where there are guests.
    var promptsGuests: Bool { get }

    /// Whether a sign-out can tell the provider to end anything.
    var revokes: Bool { get }

    /// Whether the provider may have a page where a browser's session ends.
    var hasBrowserSession: Bool { get }

    /// The steps of a sign-in, as far as they are known before it; the person sees them tick.
    func steps(of request: SignInRequest) -> [SignInStep]

    /// Runs one sign-in to its end. Throws what ended it; on cancellation it returns soon, with the port closed.
    ///
    /// - Parameter sessions: the other sessions, for a kind that makes its own from one of them.
    func signIn(
        _ request: SignInRequest, attempt: AttemptReporter, sessions: any BaseSessions
    ) async throws(AuthFailure) -> SignInResult

    /// Gets new tokens for a session.
    func renew(_ record: SessionRecord, sessions: any BaseSessions) async throws(RenewalFailure) -> Renewal

    /// Gets an access token that is good for less than the session is. What else comes with it is the session's from now on.
    func renew(_ record: SessionRecord, to terms: TokenRestrictions, sessions: any BaseSessions) async throws(RenewalFailure) -> Renewal

    /// Whether a session with these tokens can be renewed without the person.
    func canRenew(_ tokens: TokenSet) -> Bool

    /// How much a session is the one to ask with at an address: the greater, the more; `nil` where it is not at all.
    func claim(of session: SessionSummary, on resource: WebURL) -> Int?

    /// What goes to a resource in a session's name, as far as that is known without asking; `nil` where it has to be asked for.
    ///
    /// - Parameter refused: a token that the resource did not take.
    func heldToken(for resource: WebURL, of record: SessionRecord, refused: Secret?) -> ResourceToken?

    /// Asks for the token of one resource; `login` is what the web server in front of it wants. Throws `.signInAgain` where the session's
    /// own token is not good, `.notSignedIn` where the resource wants somebody else's, `.security` where none may go.
    func fetchToken(
        for resource: WebURL, of record: SessionRecord, login: WebServerLogin?
    ) async throws(AuthFailure) -> (token: ResourceToken, extras: JSONValue)

    /// What can be done with a session at the provider, as far as that was told.
    func actions(of record: SessionRecord) -> [SessionCapability]

    /// The session of another provider that sessions here are made from: who is signed in there vouches for who is signed in here.
    var base: SessionName? { get }

    /// The one that this session was made from.
    func base(of record: SessionRecord) -> SessionName?

    /// What does not fit between a session and others; one line each.
    func mismatches(of session: SessionSummary, among sessions: [SessionSummary]) -> [String]

    /// The tokens that the provider holds for the session's person; `nil` where it lists none.
    func remoteTokens(of record: SessionRecord) async throws(AuthFailure) -> [RemoteToken]?

    /// Has the provider end one of them, and returns what that left of the session's own.
    func revokeRemoteToken(_ id: String, of record: SessionRecord) async throws(AuthFailure) -> OwnTokens

    /// The certificate that the person let stand for a server of the session.
    func certificate(of record: SessionRecord) -> ServerCertificate?

    /// Whether a session that a resource refused may be renewed now.
    func mayRecover(_ record: SessionRecord) -> Bool

    /// A session for a guest, where the kind has them; `record` is the session that was there before.
    func guest(after record: SessionRecord?) async throws(AuthFailure) -> SignInResult?

    /// What there is to revoke, in the order to do it in. Asks the network for nothing that the record holds.
    func revocations(for record: SessionRecord) async -> [RevocationStep]

    /// Revokes one token (RFC 7009). Throws `.unavailable` when trying again may help.
    func revoke(_ revocation: QueuedRevocation) async throws(AuthFailure)

    /// Where the person's browser ends the provider's own session; `nil` where the provider has no such place.
    func endSessionURL(for record: SessionRecord) async throws(AuthFailure) -> WebURL?

    /// The same, for a browser that the provider sends back to `returnTo`, with `state`; `nil` where it sends nobody back.
    func endSessionURL(for record: SessionRecord, returnTo: String, state: Secret) async throws(AuthFailure) -> WebURL?

    /// What the provider itself says of a session's token (RFC 7662); `nil` where it tells this client nothing.
    func introspect(_ token: Secret, kind: TokenView.Kind, of record: SessionRecord) async throws(AuthFailure) -> TokenView?

    /// What the provider itself says of a token that somebody says is its own (RFC 7662). Throws why it says nothing.
    func introspect(_ token: Secret) async throws(AuthFailure) -> TokenView

    /// Decodes a JWT and verifies it with the provider's keys; `nil` when it names another issuer.
    func verify(_ token: Secret, kind: TokenView.Kind) async throws(AuthFailure) -> TokenView?
}

extension ProviderAdapter {
    public func address(of session: SessionSummary) -> String { address }
    public var offersSignUp: Bool? { configuration.signUpURL == nil ? nil : true }
    public var recovers: Bool { false }
    public var promptsGuests: Bool { true }
    public var revokes: Bool { true }
    public var hasBrowserSession: Bool { true }

    public func endSessionURL(for record: SessionRecord, returnTo: String, state: Secret) async throws(AuthFailure) -> WebURL? { nil }

    public func steps(of request: SignInRequest) -> [SignInStep] { SignInStep.usual }

    public func askedFields(_ purpose: SignInRequest.Purpose) -> Set<String> { [] }

    public func claim(of session: SessionSummary, on resource: WebURL) -> Int? {
        CredentialGate(configuration).admits(resource, issuer: session.issuer) ? 0 : nil
    }

    public func heldToken(for resource: WebURL, of record: SessionRecord, refused: Secret?) -> ResourceToken? { .own(fields: []) }

    public func fetchToken(
        for resource: WebURL, of record: SessionRecord, login: WebServerLogin?
    ) async throws(AuthFailure) -> (token: ResourceToken, extras: JSONValue) {
        throw AuthFailure(.bug, "a token was asked for that there is not")
    }

    public func actions(of record: SessionRecord) -> [SessionCapability] { [] }

    public var base: SessionName? { nil }

    public func base(of record: SessionRecord) -> SessionName? { base }

    public func mismatches(of session: SessionSummary, among sessions: [SessionSummary]) -> [String] { [] }

    public func remoteTokens(of record: SessionRecord) async throws(AuthFailure) -> [RemoteToken]? { nil }

    public func revokeRemoteToken(_ id: String, of record: SessionRecord) async throws(AuthFailure) -> OwnTokens {
        throw AuthFailure(.configuration, "\(configuration.name) ends no single tokens", hint: "end the session with: yett logout")
    }

    public func certificate(of record: SessionRecord) -> ServerCertificate? { nil }

    public func mayRecover(_ record: SessionRecord) -> Bool { true }

    public func guest(after record: SessionRecord?) async throws(AuthFailure) -> SignInResult? { nil }

    public func details() async throws(AuthFailure) -> ProviderDetails? { nil }

    public func finding() async throws(AuthFailure) -> String? { nil }

    public func renew(
        _ record: SessionRecord, to terms: TokenRestrictions, sessions: any BaseSessions
    ) async throws(RenewalFailure) -> Renewal {
        throw RenewalFailure(
            AuthFailure(
                .configuration, "the provider \(configuration.name) makes no tokens with fewer scopes or for another audience",
                hint: "take the session's token, without --scope and --audience"), .kept)
    }

    public func canRenew(_ tokens: TokenSet) -> Bool { tokens.refreshToken != nil }

    public func introspect(_ token: Secret, kind: TokenView.Kind, of record: SessionRecord) async throws(AuthFailure) -> TokenView? { nil }

    public func introspect(_ token: Secret) async throws(AuthFailure) -> TokenView {
        throw AuthFailure(.configuration, "\(configuration.name) cannot be asked about tokens")
    }
}

/// What a sign-in gave.
public struct SignInResult: Equatable, Sendable {
    public var tokens: TokenSet
    public var identity: Identity
    public var clientID: String
    /// `signedIn`, or `guest` for a session without an identity of its own.
    public var state: SessionState
    /// What the adapter wants to find again in the session's record.
    public var extras: JSONValue
    /// What the person should know, one line each.
    public var warnings: [String]

    public init(
        tokens: TokenSet, identity: Identity, clientID: String, state: SessionState = .signedIn, extras: JSONValue = .object([]),
        warnings: [String] = []
    ) {
        self.tokens = tokens
        self.identity = identity
        self.clientID = clientID
        self.state = state
        self.extras = extras
        self.warnings = warnings
    }
}

/// What a renewal gave. The old refresh token is kept where no new one came.
public struct Renewal: Equatable, Sendable {
    public var tokens: TokenSet
    /// The claims of a refreshed ID token, where one came.
    public var idTokenClaims: JSONValue?
    /// `signedIn`, or `guest` for a session without an identity of its own.
    public var state: SessionState
    public var extras: JSONValue

    public init(tokens: TokenSet, idTokenClaims: JSONValue?, state: SessionState = .signedIn, extras: JSONValue) {
        self.tokens = tokens
        self.idTokenClaims = idTokenClaims
        self.state = state
        self.extras = extras
    }
}

/// Why a renewal gave nothing, and what became of the grant by that.
public struct RenewalFailure: Error, Equatable, Sendable {
    public enum ResponseOutcome: Equatable, Sendable {
        /// Nothing changed: the refresh token may be presented again.
        case kept
        /// The refresh token was presented and the answer was lost, so that it may be spent. It is presented once more: a provider with a
        /// grace period then answers.
        case inDoubt
        /// The provider took the refresh token and gave this one in its place; what came beside it could not be checked now, and is thrown
        /// away.
        case rotated(refreshToken: Secret?, expiresAt: Timestamp?)
        /// The provider ended it.
        case ended
        /// The provider answered, and its answer is not to be trusted: the refresh token is spent, and what came for it is thrown away.
        case spoilt
        /// The provider ended it, and gave something lesser in its place.
        case replaced(Renewal)
    }

    public var failure: AuthFailure
    public var outcome: ResponseOutcome
    /// How many answers were lost for one caller, where one of them, or one before, had begun to come.
    public var lostAnswers = 0

    public init(_ failure: AuthFailure, _ outcome: ResponseOutcome) {
        self.failure = failure
        self.outcome = outcome
    }
}

/// A token that is to be revoked, as the store can keep it until the provider can be told.
public typealias QueuedRevocation = Revocation

/// One step of telling the provider that a session ends.
public enum RevocationStep: Equatable, Sendable {
    case token(SignOutReceipt.Step, QueuedRevocation)
    /// Nothing to do, and why.
    case nothing(SignOutReceipt.Step, reason: String)
}
