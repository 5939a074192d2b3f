public import AuthModel

/// The operations of one provider kind, by role. Static facts about the kind are in its ``KindDefinition``.
/// Each kind has its own folder; the engine, the listener, the store and the screens know no kind by name.
///
/// An adapter holds no data of a session: that is in its ``AuthModel/SessionRecord``. It may cache what the provider publishes.
///
/// A capability of only some kinds is a protocol of its own, and a property here that is `nil` by default.
public protocol ProviderAdapter: SignInAdapter, RenewalAdapter, ResourceAdapter, SignOutAdapter {
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
    /// published metadata.
    func finding() async throws(AuthFailure) -> UserMessage?

    /// Whether guests are told that they can sign in, for a kind that has guests.
    var promptsGuests: Bool { get }

    /// Returns what the session is allowed to do at the provider, as far as the provider has said.
    func actions(of record: SessionRecord) -> [SessionCapability]

    /// Returns the conflicts between a session and other sessions, one line each.
    func mismatches(of session: SessionSummary, among sessions: [SessionSummary]) -> [UserMessage]

    /// Decodes a JWT and verifies it with the provider's keys; `nil` when it names another issuer.
    func verify(_ token: Secret, kind: TokenView.Kind) async throws(AuthFailure) -> TokenView?

    /// Issues tokens with fewer scopes, or for another audience.
    var restrictedRenewal: (any RestrictedRenewal)? { get }

    /// Issues separate tokens for servers beside the provider.
    var resourceTokenIssuer: (any ResourceTokenIssuer)? { get }

    /// Lists the tokens of a user.
    var remoteTokenList: (any RemoteTokenList)? { get }

    /// Answers questions about the tokens of its sessions.
    var sessionIntrospection: (any SessionIntrospection)? { get }

    /// Answers questions about any of its tokens.
    var tokenIntrospection: (any TokenIntrospection)? { get }
}

extension ProviderAdapter {
    /// Default: ``address``.
    public func address(of session: SessionSummary) -> String { address }

    /// Default: true.
    public var promptsGuests: Bool { true }

    /// Default: none.
    public func actions(of record: SessionRecord) -> [SessionCapability] { [] }

    /// Default: none.
    public func mismatches(of session: SessionSummary, among sessions: [SessionSummary]) -> [UserMessage] { [] }

    /// Default: `nil`.
    public func details() async throws(AuthFailure) -> ProviderDetails? { nil }

    /// Default: `nil`.
    public func finding() async throws(AuthFailure) -> UserMessage? { nil }

    /// Default: `nil`.
    public var restrictedRenewal: (any RestrictedRenewal)? { nil }

    /// Default: `nil`.
    public var resourceTokenIssuer: (any ResourceTokenIssuer)? { nil }

    /// Default: `nil`.
    public var remoteTokenList: (any RemoteTokenList)? { nil }

    /// Default: `nil`.
    public var sessionIntrospection: (any SessionIntrospection)? { nil }

    /// Default: `nil`.
    public var tokenIntrospection: (any TokenIntrospection)? { nil }
}
