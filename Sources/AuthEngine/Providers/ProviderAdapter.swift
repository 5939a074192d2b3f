public import AuthModel
public import OAuth
public import SessionStore

/// The operations of one provider kind. Static facts about the kind are in its ``KindDefinition``.
/// Each kind has its own folder; the engine, the listener, the store and the screens know no kind by name.
///
/// An adapter holds no data of a session: that is in its ``AuthModel/SessionRecord``. It may cache what the provider publishes.
///
/// An operation that only some kinds have returns `nil` by default; those of one role are a protocol of their own, and a property here.
public protocol ProviderAdapter: Sendable {
    /// The configuration of the provider.
    var configuration: ProviderConfiguration { get }

    /// Whether a session belongs to the provider as it is configured now, according to the issuer of the session. Makes no network request.
    /// A session of another issuer is not used here, and is not shown to this provider.
    func isOwn(_ record: SessionRecord) -> Bool

    /// The address that a sign-in sends the user to, known without a network request. ASCII.
    var address: String { get }

    /// Returns the address where a session was signed in: ``address``, unless it was signed in at a server beside the provider. ASCII.
    func address(of session: SessionSummary) -> String

    /// Fetches the provider's own description of how to sign in there, without a cache; `nil` if its metadata describes everything.
    func details() async throws(AuthFailure) -> ProviderDetails?

    /// Asks the provider what can be asked without a user, and returns the result in a few words; `nil` if there is nothing to ask except
    /// published metadata. Throws the provider's refusal, or the reason why it could not be asked.
    func check() async throws(AuthFailure) -> UserMessage?

    /// Asks the server, without a user, whether it knows the client. Does nothing for a kind without an authorization server.
    ///
    /// - Throws: `.denied` with `invalid_client` (RFC 6749 section 5.2) if the server does not know the client; another failure if it could
    ///   not be asked.
    func checkClient() async throws(AuthFailure)

    /// Whether guests are told that they can sign in, for a kind that has guests.
    var promptsGuests: Bool { get }

    /// Returns what the session is allowed to do at the provider, as far as the provider has said.
    func capabilities(of record: SessionRecord) -> [SessionCapability]

    /// Returns the conflicts between a session and other sessions, one line each.
    func mismatches(of session: SessionSummary, among sessions: [SessionSummary]) -> [UserMessage]

    /// Decodes a JWT and verifies it with the provider's keys; `nil` when it names another issuer.
    func verify(_ token: Secret, kind: TokenView.Kind) async throws(AuthFailure) -> TokenView?

    // MARK: Signing in

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
        _ request: SignInRequest, attempt: AttemptChannel, sessions: BaseSessions
    ) async throws(AuthFailure) -> SignInOutcome

    /// Creates a guest session; `nil` if the kind has none. `record` is the previous session.
    func guest(after record: SessionRecord?) async throws(AuthFailure) -> SignInResult?

    /// The session of another provider that sessions here are made from. The user of that session determines the user here.
    var base: SessionName? { get }

    /// Returns the base session that this session was made from.
    func base(of record: SessionRecord) -> SessionName?

    // MARK: Renewal

    /// Gets new tokens for a session.
    func renew(_ record: SessionRecord, sessions: BaseSessions) async throws(RenewalFailure) -> Renewal

    /// Whether a session with these tokens can be renewed without the user.
    func canRenew(_ tokens: TokenSet) -> Bool

    /// Whether a session that a resource refused may be renewed now.
    func mayRenewNow(_ record: SessionRecord) -> Bool

    // MARK: Resources

    /// Returns the priority of a session for requests to an address; the highest is used. `nil`: the session must not be used there.
    func priority(of session: SessionSummary, for resource: WebURL) -> Int?

    /// Returns what to send to a resource for a session, if it is known without a request; `nil` if it must be fetched.
    ///
    /// - Parameter refused: a token that the resource refused.
    func knownToken(for resource: WebURL, of record: SessionRecord, refused: Secret?) -> ResourceToken?

    /// Returns the certificate that the user allowed for a server of the session.
    func certificate(of record: SessionRecord) -> ServerCertificate?

    // MARK: Signing out

    /// Whether a sign-out can tell the provider to end a session or a token.
    var revokes: Bool { get }

    /// Whether the provider may have a page that ends the browser's session.
    var hasBrowserSession: Bool { get }

    /// Returns the tokens to revoke, in the order to revoke them. Makes no request for anything that the record holds.
    func revocations(for record: SessionRecord) async -> [RevocationStep]

    /// Revokes one token (RFC 7009). Throws `.unavailable` when trying again may help.
    func revoke(_ revocation: QueuedRevocation) async throws(AuthFailure)

    /// Returns the URL where the user's browser ends the provider's own session; `nil` if the provider has no such page.
    func endSessionURL(for record: SessionRecord) async throws(AuthFailure) -> WebURL?

    /// Returns the same URL for a browser that the provider then redirects to `returnTo`, with `state`; `nil` if it does not redirect back.
    func endSessionURL(for record: SessionRecord, returnTo: String, state: Secret) async throws(AuthFailure) -> WebURL?

    // MARK: Operations of some kinds

    /// Issues tokens with fewer scopes, or for another audience.
    var restrictedRenewal: (any RestrictedRenewal)? { get }

    /// Requests a grant for another authorization server (ID-JAG); `nil` if the provider issues none. Throws `.denied` if it refuses the
    /// grant.
    func identityGrant(_ wanted: IdentityGrant) async throws(AuthFailure) -> Secret?

    /// Fetches the separate token for one resource; `nil` if the provider has no such tokens. `login` is the login for the web server in
    /// front of the resource. Throws `.signInAgain` if the session's own token is no longer valid, `.notSignedIn` if the resource needs a
    /// token of another session, and `.security` if no token may be sent there.
    func fetchToken(
        for resource: WebURL, of record: SessionRecord, login: WebServerLogin?
    ) async throws(AuthFailure) -> (token: ResourceToken, extras: JSONValue)?

    /// Opens roles in accounts.
    var roleSource: (any RoleSource)? { get }

    /// Lists the tokens of a user.
    var remoteTokenList: (any RemoteTokenList)? { get }

    /// Answers questions about the tokens of its sessions.
    var sessionIntrospection: (any SessionIntrospection)? { get }

    /// Asks the provider about a token that is said to be its own (RFC 7662); `nil` if its kind has no introspection. Throws the reason if
    /// there is no answer.
    func introspect(_ token: Secret) async throws(AuthFailure) -> TokenView?
}

extension ProviderAdapter {
    /// Default: ``address``.
    public func address(of session: SessionSummary) -> String { address }

    /// Default: true.
    public var promptsGuests: Bool { true }

    /// Default: none.
    public func capabilities(of record: SessionRecord) -> [SessionCapability] { [] }

    /// Default: none.
    public func mismatches(of session: SessionSummary, among sessions: [SessionSummary]) -> [UserMessage] { [] }

    /// Default: `nil`.
    public func details() async throws(AuthFailure) -> ProviderDetails? { nil }

    /// Default: `nil`.
    public func verify(_ token: Secret, kind: TokenView.Kind) async throws(AuthFailure) -> TokenView? { nil }

    /// Default: `nil`.
    public func check() async throws(AuthFailure) -> UserMessage? { nil }

    /// Default: nothing.
    public func checkClient() async throws(AuthFailure) {}

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

    /// Default: true if there is a refresh token.
    public func canRenew(_ tokens: TokenSet) -> Bool { tokens.refreshToken != nil }

    /// Default: true.
    public func mayRenewNow(_ record: SessionRecord) -> Bool { true }

    /// Default: 0 for a resource that the configuration admits, else `nil`.
    public func priority(of session: SessionSummary, for resource: WebURL) -> Int? {
        CredentialGate(configuration).admits(resource, issuer: session.issuer) ? 0 : nil
    }

    /// Default: the session's own access token.
    public func knownToken(for resource: WebURL, of record: SessionRecord, refused: Secret?) -> ResourceToken? { .own(fields: []) }

    /// Default: `nil`.
    public func certificate(of record: SessionRecord) -> ServerCertificate? { nil }

    /// Default: true.
    public var revokes: Bool { true }

    /// Default: true.
    public var hasBrowserSession: Bool { true }

    /// Default: `nil`.
    public func endSessionURL(for record: SessionRecord) async throws(AuthFailure) -> WebURL? { nil }

    /// Default: `nil`.
    public func endSessionURL(for record: SessionRecord, returnTo: String, state: Secret) async throws(AuthFailure) -> WebURL? { nil }

    /// Default: `nil`.
    public var restrictedRenewal: (any RestrictedRenewal)? { nil }

    /// Default: `nil`.
    public func identityGrant(_ wanted: IdentityGrant) async throws(AuthFailure) -> Secret? { nil }

    /// Default: `nil`.
    public func fetchToken(
        for resource: WebURL, of record: SessionRecord, login: WebServerLogin?
    ) async throws(AuthFailure) -> (token: ResourceToken, extras: JSONValue)? { nil }

    /// Default: `nil`.
    public var roleSource: (any RoleSource)? { nil }

    /// Default: `nil`.
    public var remoteTokenList: (any RemoteTokenList)? { nil }

    /// Default: `nil`.
    public var sessionIntrospection: (any SessionIntrospection)? { nil }

    /// Default: `nil`.
    public func introspect(_ token: Secret) async throws(AuthFailure) -> TokenView? { nil }
}

/// A provider that issues tokens with fewer scopes, or for another audience.
public protocol RestrictedRenewal: Sendable {
    /// Gets an access token with fewer scopes or for another audience than the session has. Everything else in the answer, such as a new
    /// refresh token, becomes part of the session.
    func renew(_ record: SessionRecord, to restrictions: TokenRestrictions, sessions: BaseSessions) async throws(RenewalFailure)
        -> Renewal
}

/// A provider whose users take roles in several accounts, each with temporary credentials of its own.
public protocol RoleSource: Sendable {
    /// Fetches the roles of the session's user in all accounts. Throws `.signInAgain` if the session's own token is no longer valid.
    func roles(of record: SessionRecord) async throws(AuthFailure) -> [AccountRole]

    /// Fetches temporary credentials of a role, in the form in which a tool gets them, and when they end. Throws `.signInAgain` if the
    /// session's own token is no longer valid, and `.denied` if the user does not have the role.
    func credentials(
        of role: AccountRole, for record: SessionRecord
    ) async throws(AuthFailure) -> (secret: Secret, expiresAt: Timestamp)
}

/// A provider that lists the tokens of a user.
public protocol RemoteTokenList: Sendable {
    /// Fetches the list of tokens that the provider holds for the session's user.
    func remoteTokens(of record: SessionRecord) async throws(AuthFailure) -> [RemoteToken]

    /// Revokes one of these tokens at the provider, and returns the state of the session's own tokens afterwards.
    func revokeRemoteToken(_ id: String, of record: SessionRecord) async throws(AuthFailure) -> SessionTokenState
}

/// A provider that answers questions about the tokens of its sessions.
public protocol SessionIntrospection: Sendable {
    /// Asks the provider about a session's token (RFC 7662); `nil` if the provider does not answer this client.
    func introspect(_ token: Secret, kind: TokenView.Kind, of record: SessionRecord) async throws(AuthFailure) -> TokenView?
}

extension ProviderConfiguration {
    func makeAdapter(in environment: EngineEnvironment) -> any ProviderAdapter { environment.makeAdapter(self, environment) }
}
