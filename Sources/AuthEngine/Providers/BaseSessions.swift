public import AuthModel

/// Gives an adapter access to other sessions: the base session that its own sessions are made from, and the provider's previous session.
public protocol BaseSessions: Sendable {
    /// Returns the provider's session with the most recent sign-in.
    func latest(of provider: ProviderName) async -> SessionRecord?

    /// Stores a guest session, unless a user has a session at the provider. If the sign-in fails, the guest session remains.
    func keepGuest(_ result: SignInResult, for provider: ProviderName) async

    /// Marks a session as ended at its provider. With `guest`, the guest session replaces it; without, the session needs a new sign-in.
    ///
    /// - Parameter record: the session as it was read. If the stored session has different tokens by now, it is left unchanged.
    func markEnded(_ record: SessionRecord, as guest: Renewal?) async

    /// Returns a valid token of the session that the sessions of `provider` are made from. Renews that session first if necessary.
    ///
    /// - Parameter name: the session, or the provider if it has only one session.
    /// - Throws: `.configuration` if the providers form a cycle.
    func base(_ name: SessionName, for provider: ProviderName, wanted: TokenRequest.Wanted) async throws(AuthFailure) -> BaseSession

    /// Returns a valid token of the base session during a sign-in. If the base session does not exist or needs a new sign-in, the user
    /// signs in there first, within the same attempt.
    ///
    /// - Parameter request: the sign-in that needs the base session. The sign-in there uses the same flow, languages and timeout.
    func base(
        _ name: SessionName, for provider: ProviderName, wanted: TokenRequest.Wanted, or request: SignInRequest, attempt: AttemptReporter
    ) async throws(AuthFailure) -> BaseSession

    /// Removes a session that was replaced by a sign-in as another user.
    ///
    /// - Parameter providerKnows: whether the provider already knows that the session has ended. If not, its revocations are queued.
    func signOut(_ record: SessionRecord, providerKnows: Bool) async
}

/// A base session: other sessions are made from it.
public struct BaseSession: Sendable {
    /// The full name, including the account.
    public var name: SessionName
    /// The identity of the user who is signed in there.
    public var identity: Identity
    /// The requested token of the session.
    public var token: Secret
}
