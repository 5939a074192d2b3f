public import AuthModel

/// Where a kind finds other sessions: one that its own are made from, or the one before.
public protocol BaseSessions: Sendable {
    /// The provider's session that was signed in last.
    func latest(of provider: ProviderName) async -> SessionRecord?

    /// Keeps a guest's session, where nobody is signed in there: it is what is left when a sign-in fails.
    func keepGuest(_ grant: SignInResult, for provider: ProviderName) async

    /// Has a session that its provider no longer knows say so: a guest goes on in its place, or only a new sign-in helps.
    ///
    /// - Parameter record: the session as it was; one with other tokens by now is left alone.
    func leave(_ record: SessionRecord, as guest: Renewal?) async

    /// A fresh token of the session that `provider`'s sessions are made from, renewed first where it must be.
    ///
    /// - Parameter name: the session, or the provider whose only one is meant.
    /// - Throws: `.configuration` where sessions are made from each other in a ring.
    func base(_ name: SessionName, for provider: ProviderName, wanted: TokenRequest.Wanted) async throws(AuthFailure) -> BaseSession

    /// The same for a sign-in: where nobody is signed in there, or only a new sign-in helps, the user signs in there first, in the same
    /// attempt.
    ///
    /// - Parameter request: the sign-in that needs the session; how the user is reached is taken from it.
    func base(
        _ name: SessionName, for provider: ProviderName, wanted: TokenRequest.Wanted, or request: SignInRequest, attempt: AttemptReporter
    ) async throws(AuthFailure) -> BaseSession

    /// Removes a session that a sign-in as another user took the place of.
    ///
    /// - Parameter isTold: whether its provider knows that it has ended; if not, its revocations are queued.
    func signOut(_ record: SessionRecord, isTold: Bool) async
}

/// A session that another one is made from.
public struct BaseSession: Sendable {
    /// With its account.
    public var name: SessionName
    public var identity: Identity
    public var token: Secret
}
