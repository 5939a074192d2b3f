public import AuthModel
internal import SessionStore

extension Engine: SessionService {
    /// Lists the configured providers, sorted by name, with the accounts that are signed in.
    public func providers() async throws(AuthFailure) -> [ProviderSummary] {
        let sessions = try await context.sessions.all()
        return context.providers.summaries(sessions: sessions, active: await context.sessions.accounts.accounts(among: sessions))
    }

    /// Lists all sessions, with their warnings.
    public func sessions() async throws(AuthFailure) -> [SessionSummary] { try await context.sessions.all() }

    /// Returns a session's details.
    public func session(_ name: SessionName) async throws(AuthFailure) -> SessionDetail { try await inspection.session(name) }

    /// Makes an account the active one of its provider; `nil` removes the choice.
    public func activate(_ account: String?, at provider: ProviderName) async throws(AuthFailure) {
        try await context.sessions.activate(account, at: provider)
    }

    /// Returns the engine's events from now on, including changes by other processes.
    public func events() async -> AsyncStream<SessionServiceEvent> { await context.events.stream() }

    /// Returns ``events()``, because within a process the activity costs nothing.
    public func changes() async -> AsyncStream<SessionServiceEvent> { await events() }

    /// Returns the latest activity, at most `limit` entries; empty without a recorder.
    public func activity(_ limit: Int) async throws(AuthFailure) -> [Activity] {
        try context.environment.recorder?.recorded(limit) ?? []
    }

    /// Returns ``events()``: in this process, the caller of ``token(_:)`` asks the user itself.
    public func interactiveEvents() async -> AsyncStream<SessionServiceEvent> { await events() }

    /// Throws, because this service asks no questions.
    public func answerQuestion(_ id: TokenConsentRequest.ID, allows: Bool, from witness: ConsentConfirmation?) async throws(AuthFailure) {
        throw TokenConsentRequest.isOver
    }

    // MARK: Signing in

    /// Starts a sign-in attempt. The store must be writable.
    public func signIn(_ request: SignInRequest) async throws(AuthFailure) -> SignInAttempt { try await signingIn.start(request) }

    /// Passes pasted text to an attempt.
    public func paste(_ text: Secret, into attempt: SignInAttempt.ID) async throws(AuthFailure) {
        try await attempts.reporter(of: attempt).pastes.submit(text)
    }

    /// Requests a device code for an attempt.
    public func requestDeviceCode(for attempt: SignInAttempt.ID) async throws(AuthFailure) {
        try await attempts.reporter(of: attempt).deviceCodes.request()
    }

    /// Passes the user's answers to an attempt.
    public func answer(_ answers: SignInForm.Answers, to attempt: SignInAttempt.ID) async throws(AuthFailure) {
        try await attempts.reporter(of: attempt).forms.submit(answers)
    }

    /// Cancels an attempt and waits for its end.
    public func cancel(_ attempt: SignInAttempt.ID) async { await attempts.cancel(attempt) }

    /// Returns a provider's details; `nil` if its kind has none.
    public func details(of provider: ProviderName) async throws(AuthFailure) -> ProviderDetails? {
        try await context.providers.adapter(for: provider).details()
    }

    // MARK: Tokens

    /// Issues a token. Checks the provider's policy first, and renews the session if it is necessary.
    public func token(_ request: TokenRequest) async throws(AuthFailure) -> IssuedToken { try await issuing.token(request) }

    /// Renews a session now, even during a pause after failures.
    public func renew(_ name: SessionName) async throws(AuthFailure) -> SessionSummary {
        let record = try await context.sessions.record(name)
        return try await renewal.renewed(record).summary
    }

    /// Replaces the session's access token `old` with `token`, which came from `resource`. Does nothing if `old` is no longer the current
    /// one.
    ///
    /// - Throws: `.security` if `resource` is not a place of the session's provider.
    public func adopt(_ token: Secret, inPlaceOf old: Secret, in session: SessionName, from resource: WebURL) async throws(AuthFailure) {
        try await resources.adopt(token, inPlaceOf: old, in: session, from: resource)
    }

    /// Returns a DPoP proof for one request to a resource, signed with the session's key (RFC 9449 section 7.1).
    public func proof(_ request: ProofRequest) async throws(AuthFailure) -> String {
        try await ResourceProof(context: context, admission: admission).proof(request)
    }

    /// Returns views of a session's tokens. Asks the provider about opaque ones.
    public func tokens(of name: SessionName) async throws(AuthFailure) -> [TokenView] { try await inspection.tokens(of: name) }

    /// Lists the tokens that the provider issued for the user.
    public func remoteTokens(of name: SessionName) async throws(AuthFailure) -> [RemoteToken] { try await remote.tokens(of: name) }

    /// Revokes a token at the provider, and updates the session if it was its own.
    public func revokeRemoteToken(_ id: String, of name: SessionName) async throws(AuthFailure) -> SessionSummary {
        try await remote.revoke(id, of: name)
    }

    /// Decodes a token, and verifies it if it is a JWT of a configured provider.
    public func inspect(_ token: Secret, at provider: ProviderName?) async throws(AuthFailure) -> TokenView {
        try await inspection.inspect(token, at: provider)
    }

    // MARK: Derived credentials

    /// Returns a kept credential; `nil` if there is none that is still usable.
    public func derivedCredential(for purpose: String, _ request: TokenRequest) async throws(AuthFailure) -> DerivedCredential? {
        try await derivedCredentials.credential(for: purpose, request)
    }

    /// Seals a credential with its session.
    public func keep(_ credential: DerivedCredential, of session: SessionName) async throws(AuthFailure) {
        try await derivedCredentials.keep(credential, of: session)
    }

    // MARK: Signing out

    /// Signs out: revokes the tokens at the provider, deletes the session, and returns a receipt of each step.
    public func signOut(_ name: SessionName, mode: SignOutMode) async throws(AuthFailure) -> SignOutReceipt {
        try await signingOut.signOut(name, mode: mode)
    }

    /// Waits for the browser after a sign-out and returns the outcome. Cancelling the task ends the wait.
    public func browserReturn(_ id: BrowserReturn.ID) async throws(AuthFailure) -> SignOutReceipt.Outcome {
        try await returns.outcome(of: id)
    }

    /// Ends the wait for a browser.
    public func stopWaiting(for id: BrowserReturn.ID) async { await returns.stopWaiting(for: id) }

    /// Sends the queued revocations that are due. Returns when the next one is due; `nil` if none is left.
    public func deliverRevocations() async -> Timestamp? { await revocations.deliver() }

    // MARK: Clients

    /// Seals the management data and the secret of a registered client in the store.
    public func keep(_ management: ClientManagement) async throws(AuthFailure) { try await registrations.keep(management) }

    /// Deletes a client that this program registered, at the provider and in the store. Returns whether the provider was asked to delete
    /// it.
    public func unregister(_ clientID: String, at issuer: Issuer, caFile: String?) async throws(AuthFailure) -> Bool {
        try await registrations.unregister(clientID, at: issuer, caFile: caFile, for: self)
    }

    /// Asks a provider whether it knows the client, public or confidential. Kinds without an authorization server are not asked. Needs an
    /// unlocked store, which holds the secrets of clients that this program registered.
    ///
    /// - Throws: `.denied` with `invalid_client` (RFC 6749 section 5.2) if the server does not know the client; another failure if it could
    ///   not be asked.
    public func checkClient(of provider: ProviderName) async throws(AuthFailure) {
        try await (context.providers.adapter(for: provider) as? any ClientChecking)?.checkClient()
    }

    // MARK: The seal

    /// Returns the state of the seal. Without a store, only a store with a passphrase counts as locked.
    public func seal() async -> SealState { storeSeal.state }

    /// Returns whether a passphrase unlocks the store.
    public func needsPassphrase() async -> Bool { context.store.seal == .passphrase }

    /// Unlocks an existing store that needs no passphrase.
    public func unlockIfNoPassphraseNeeded() async throws(AuthFailure) { try await storeSeal.unlockIfNoPassphraseNeeded() }

    /// Unlocks the store; creates it if there is none.
    public func unlock(passphrase: Secret) async throws(AuthFailure) { try await storeSeal.unlock(passphrase: passphrase) }

    /// Locks the store, clears the cached tokens, and waits for the holders of session locks.
    public func lock() async throws(AuthFailure) { try await storeSeal.lock(clearing: narrowedTokens, renewals.unsaved) }

    /// Waits until this process holds no session lock, and refuses new ones.
    public func retire() async { await context.store.retire() }
}
