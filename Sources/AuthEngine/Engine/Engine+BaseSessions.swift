public import AuthModel

extension Engine: BaseSessions {
    /// Returns the provider's session with the latest sign-in; `nil` if there is none.
    public func latest(of provider: ProviderName) async -> SessionRecord? { await bases.latest(of: provider) }

    /// Stores a guest session, if the provider has no session of a user. Ignores a failed write.
    public func keepGuest(_ result: SignInResult, for provider: ProviderName) async { await guests.keep(result, for: provider) }

    /// Replaces a session that its provider no longer knows with a guest's tokens; without a guest, marks it as needing a sign-in. Does
    /// nothing if the session has new tokens.
    public func markEnded(_ record: SessionRecord, as guest: Renewal?) async { await bases.markEnded(record, as: guest) }

    /// Returns a fresh token of the base session `name` for `provider`.
    public func base(
        _ name: SessionName, for provider: ProviderName, wanted: TokenRequest.Wanted
    ) async throws(AuthFailure) -> BaseSession {
        try await bases.base(name, for: provider, wanted: wanted)
    }

    /// Returns a fresh token of the base session `name` for `provider`. Signs in at the base provider first if it is necessary.
    public func base(
        _ name: SessionName, for provider: ProviderName, wanted: TokenRequest.Wanted, or request: SignInRequest, attempt: AttemptReporter
    ) async throws(AuthFailure) -> BaseSession {
        try await bases.base(name, for: provider, wanted: wanted, or: request, attempt: attempt)
    }

    /// Deletes a session that a sign-in as another user has replaced. Queues its revocations unless the provider knows that it has ended.
    public func signOut(_ record: SessionRecord, providerKnows: Bool) async {
        await signingOut.remove(record, providerKnows: providerKnows)
    }
}
