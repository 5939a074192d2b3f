public import AuthModel
import OAuth
import SessionStore

/// A base session: other sessions are made from it.
public struct BaseSession: Sendable {
    /// The full name, including the account.
    public var name: SessionName
    /// The identity of the user who is signed in there.
    public var identity: Identity
    /// The requested token of the session.
    public var token: Secret
}

/// Gives an adapter access to other sessions: the base session that its own sessions are made from, and the provider's previous session.
public struct BaseSessions: Sendable {
    let engine: Engine

    private var context: EngineContext { engine.context }

    /// Returns the provider's session with the most recent sign-in.
    public func latest(of provider: ProviderName) async -> SessionRecord? {
        let last = try? await context.sessions.all(at: provider).max { $0.grantedAt < $1.grantedAt }
        guard let last else { return nil }
        return try? await context.sessions.record(last.name)
    }

    /// Stores a guest session, unless a user has a session at the provider. If the sign-in fails, the guest session remains.
    public func keepGuest(_ result: SignInResult, for provider: ProviderName) async { await engine.guests.keep(result, for: provider) }

    /// Marks a session as ended at its provider. With `guest`, the guest session replaces it; without, the session needs a new sign-in.
    ///
    /// - Parameter record: the session as it was read. If the stored session has different tokens by now, it is left unchanged.
    public func markEnded(_ record: SessionRecord, as guest: Renewal?) async {
        // If the change cannot be written now, the provider's refusal shows it at the next use.
        _ = try? await context.store.update(record.summary.name) { known in
            guard var changed = known, changed.summary.receivedAt == record.summary.receivedAt else { return }
            if let guest {
                changed.apply(guest, isRenewable: true)
                // Keep the time, because it identifies the session that was left.
                changed.summary.receivedAt = record.summary.receivedAt
            } else {
                changed.tokens = nil
                changed.summary.recordedState = .needsSignIn
                changed.summary.isRenewable = false
                changed.summary.accessExpiresAt = nil
            }
            known = changed
        }
        await context.events.announceSessions()
    }

    /// Returns a valid token of the session that the sessions of `provider` are made from. Renews that session first if necessary.
    ///
    /// - Parameter name: the session, or the provider if it has only one session.
    /// - Throws: `.configuration` if the providers form a cycle.
    public func base(_ name: SessionName, for provider: ProviderName, wanted: TokenRequest.Wanted) async throws(AuthFailure) -> BaseSession
    {
        try context.providers.rejectCycle(from: provider)
        let record = try await context.sessions.record(name)
        // The token goes to the configured provider and to no program, so the token policy does not apply.
        let issued = try await engine.issuing.issue(
            record,
            for: TokenRequest(
                session: record.summary.name, wanted: wanted, caller: UserMessage("phrase.yett_for_provider", ["provider": provider])))
        return BaseSession(name: record.summary.name, identity: record.identity, token: issued.token)
    }

    /// Asks an identity provider for a grant for another authorization server (ID-JAG), in exchange for its ID token.
    ///
    /// - Throws: `.denied` if the provider refuses it, `.configuration` if its kind issues no grants.
    public func identityGrant(
        for idToken: Secret, of provider: ProviderName, audience: Issuer, resources: [String], scopes: ScopeSet
    ) async throws(AuthFailure) -> Secret {
        let wanted = IdentityGrant(idToken: idToken, audience: audience, resources: resources, scopes: scopes)
        guard let grant = try await context.providers.adapter(for: provider).identityGrant(wanted) else {
            throw AuthFailure(
                .configuration, UserMessage("exchange.base_issues_no_grants", ["provider": provider]), hint: "hint.exchange_from_openid")
        }
        return grant
    }

    /// Returns a valid token of the base session during a sign-in. If the base session does not exist or needs a new sign-in, the user
    /// signs in there first, within the same attempt.
    ///
    /// - Parameter request: the sign-in that needs the base session. The sign-in there uses the same flow, languages and timeout.
    public func base(
        _ name: SessionName, for provider: ProviderName, wanted: TokenRequest.Wanted, or request: SignInRequest, attempt: AttemptChannel
    ) async throws(AuthFailure) -> BaseSession {
        do throws(AuthFailure) {
            return try await base(name, for: provider, wanted: wanted)
        } catch  where [.notSignedIn, .signInAgain].contains(error.kind) {
            var own = SignInRequest(provider: name.provider, account: name.account, flow: request.flow)
            own.uiLocales = request.uiLocales
            own.timeout = request.timeout
            own.surroundings = request.surroundings
            let summary = try await engine.signingIn.signIn(within: attempt, own)
            return try await base(summary.name, for: provider, wanted: wanted)
        }
    }

    /// Removes a session that was replaced by a sign-in as another user.
    ///
    /// - Parameter providerKnows: whether the provider already knows that the session has ended. If not, its revocations are queued.
    public func signOut(_ record: SessionRecord, providerKnows: Bool) async {
        await engine.signingOut.remove(record, providerKnows: providerKnows)
    }
}
