/// Lists providers and sessions, and reports changes to them. A role of ``SessionService``.
public protocol SessionDirectory: Sendable {
    /// Returns the configured providers, sorted by name.
    func providers() async throws(AuthFailure) -> [ProviderSummary]

    /// Returns all sessions, sorted by name. Uses no network, and works while the store is locked.
    func sessions() async throws(AuthFailure) -> [SessionSummary]

    /// Returns one session with its verified claims. `PROVIDER` alone names the only session there, or that of the default account.
    func session(_ name: SessionName) async throws(AuthFailure) -> SessionDetail

    /// Makes an account the default account of its provider, for when several accounts are signed in; `nil` clears the default.
    ///
    /// Throws `.notSignedIn` if the account has no session.
    func activate(_ account: String?, at provider: ProviderName) async throws(AuthFailure)

    /// Returns a stream of changes from now on. The stream ends when the session service ends.
    func events() async -> AsyncStream<SessionServiceEvent>

    /// Returns what ``events()`` returns without the activity: a reader of every token request would slow them down.
    func changes() async -> AsyncStream<SessionServiceEvent>

    /// Returns log entries, newest first. Works without network and while the store is locked.
    func activity(_ limit: Int) async throws(AuthFailure) -> [Activity]
}
