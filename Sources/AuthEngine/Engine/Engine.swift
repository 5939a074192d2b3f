public import AuthModel
public import SessionStore

/// The session service that works in this process: runs flows, renews sessions, issues tokens and signs out, under the store's locks.
///
/// Several engines, in one process or in many, may use one store at the same time. They coordinate through the store: a renewal runs under
/// the session's lock and reads the record again once it holds the lock.
///
/// The engine only delegates. Each operation is a value of its own type, which the engine makes for one call: ``TokenRenewal``, ``SignIn``,
/// ``SignOut``, ``TokenIssuing`` and others. What lasts from one call to the next is in objects, and each changes its own state atomically:
/// ``ProviderDirectory``, ``SessionEvents``, ``RenewalState``, ``RestrictedTokens``, ``SignInAttempts`` and ``BrowserReturns``.
public final class Engine: Sendable {
    let context: EngineContext
    let renewals: RenewalState
    let restrictedTokens = RestrictedTokens()
    let roleRequests = TasksInProgress<RoleAccess.Request, DerivedCredential>()
    let attempts = SignInAttempts()
    let returns: BrowserReturns

    /// Creates an engine for the configured providers.
    public init(providers: [ProviderConfiguration], store: SessionStore, environment: EngineEnvironment) {
        var environment = environment
        environment.registration = { (clientID, issuer) async throws(AuthFailure) in
            try await ClientRegistrations.registration(clientID, at: issuer, in: store)
        }
        renewals = RenewalState(store: store, time: environment.time)
        context = EngineContext(providers: providers, store: store, environment: environment, renewals: renewals.inProgress)
        returns = BrowserReturns(time: environment.time)
    }

    /// Replaces the configured providers. Operations in progress at a removed or changed provider continue with the old configuration.
    public func configure(_ providers: [ProviderConfiguration]) { context.providers.configure(providers) }

    // MARK: The operations

    var storeSeal: StoreSeal { StoreSeal(store: context.store, events: context.events) }
    var guests: GuestSessions { GuestSessions(context: context) }
    var revocations: RevocationDelivery { RevocationDelivery(context: context) }
    var inspection: SessionInspection { SessionInspection(context: context) }
    var registrations: ClientRegistrations { ClientRegistrations(context: context, seal: storeSeal) }
    var policyCheck: TokenPolicyCheck { TokenPolicyCheck(context: context, restrictedTokens: restrictedTokens) }
    var renewal: TokenRenewal { TokenRenewal(context: context, state: renewals, baseSessions: bases) }
    var resources: ResourceTokens { ResourceTokens(context: context, renewal: renewal, guests: guests) }
    var derivedCredentials: DerivedCredentials { DerivedCredentials(context: context) }
    var roles: RoleAccess { RoleAccess(context: context, policyCheck: policyCheck, renewal: renewal, requests: roleRequests) }
    var remote: RemoteTokens { RemoteTokens(context: context, renewal: renewal) }
    var issuing: TokenIssuing {
        TokenIssuing(
            context: context, policyCheck: policyCheck, renewal: renewal,
            restricted: RestrictedTokenIssuing(context: context, renewal: renewal, tokens: restrictedTokens), resources: resources)
    }
    var signingIn: SignIn {
        SignIn(context: context, attempts: attempts, seal: storeSeal, guests: guests, revocations: revocations, baseSessions: bases)
    }
    var signingOut: SignOut {
        SignOut(context: context, renewals: renewals, returns: returns, guests: guests, revocations: revocations)
    }
    var bases: BaseSessions { BaseSessions(engine: self) }
}

extension Engine: SessionService {
    package func perform<Operation: SessionOperation>(
        _ operation: Operation
    ) async throws(AuthFailure) -> Operation.Reply {
        try await Self.handlers.perform(operation, by: self)
    }

    private static let handlers = {
        var handlers = OperationHandlers<Engine>()

        // Sessions
        handlers.on(ListProviders.self) { engine, _ throws(AuthFailure) in
            let (providers, sessions) = (engine.context.providers, engine.context.sessions)
            let all = try await sessions.all()
            return providers.summaries(sessions: all, active: await sessions.accounts.accounts(among: all))
        }
        handlers.on(ReadProviderDetails.self) { engine, operation throws(AuthFailure) in
            try await engine.context.providers.adapter(for: operation.provider).details()
        }
        handlers.on(ListSessions.self) { engine, _ throws(AuthFailure) in try await engine.context.sessions.all() }
        handlers.on(ShowSession.self) { engine, operation throws(AuthFailure) in try await engine.inspection.session(operation.session) }
        handlers.on(ChooseDefaultAccount.self) { engine, operation throws(AuthFailure) in
            try await engine.context.sessions.makeDefault(operation.account, at: operation.provider)
        }
        handlers.on(ListActivity.self) { engine, operation throws(AuthFailure) in
            try engine.context.environment.recorder?.recorded(operation.limit) ?? []
        }

        // Tokens
        handlers.on(IssueToken.self) { engine, operation throws(AuthFailure) in try await engine.issuing.token(operation.request) }
        handlers.on(CreateProof.self) { engine, operation throws(AuthFailure) in
            try await ResourceProof(context: engine.context, policyCheck: engine.policyCheck).proof(operation.request)
        }
        handlers.on(RenewSession.self) { engine, operation throws(AuthFailure) in
            try await engine.renewal.renewed(engine.context.sessions.record(operation.session)).summary
        }
        handlers.on(AdoptToken.self) { engine, operation throws(AuthFailure) in
            try await engine.resources.adopt(
                operation.token, inPlaceOf: operation.old, in: operation.session, from: operation.resource)
        }
        handlers.on(ReadDerivedCredential.self) { engine, operation throws(AuthFailure) in
            try await engine.derivedCredentials.credential(for: operation.purpose, operation.request)
        }
        handlers.on(KeepDerivedCredential.self) { engine, operation throws(AuthFailure) in
            try await engine.derivedCredentials.keep(operation.credential, of: operation.session)
        }
        handlers.on(ListRoles.self) { engine, operation throws(AuthFailure) in
            try await engine.roles.roles(operation)
        }
        handlers.on(IssueRoleCredentials.self) { engine, operation throws(AuthFailure) in
            try await engine.roles.credentials(operation)
        }
        handlers.on(ListTokens.self) { engine, operation throws(AuthFailure) in try await engine.inspection.tokens(of: operation.session) }
        handlers.on(InspectToken.self) { engine, operation throws(AuthFailure) in
            try await engine.inspection.inspect(operation.token, at: operation.provider)
        }
        handlers.on(ListRemoteTokens.self) { engine, operation throws(AuthFailure) in try await engine.remote.tokens(of: operation.session)
        }
        handlers.on(RevokeRemoteToken.self) { engine, operation throws(AuthFailure) in
            try await engine.remote.revoke(operation.id, of: operation.session)
        }

        // Sign-in attempts
        handlers.on(PasteText.self) { engine, operation throws(AuthFailure) in
            try await engine.attempts.channel(of: operation.attempt).pastes.submit(operation.text)
        }
        handlers.on(SubmitAnswers.self) { engine, operation throws(AuthFailure) in
            try await engine.attempts.channel(of: operation.attempt).forms.submit(operation.answers)
        }
        handlers.on(RequestDeviceCode.self) { engine, operation throws(AuthFailure) in
            try await engine.attempts.channel(of: operation.attempt).deviceCodes.request()
        }
        handlers.on(CancelSignIn.self) { engine, operation in await engine.attempts.cancel(operation.attempt) }
        // In this process, the caller of a token request asks the user itself.
        handlers.on(AnswerQuestion.self) { _, _ throws(AuthFailure) in throw TokenConsentRequest.isOver }

        // Sign-out
        handlers.on(SignOutSession.self) { engine, operation throws(AuthFailure) in
            try await engine.signingOut.signOut(operation.session, mode: operation.mode)
        }
        handlers.on(AwaitBrowserReturn.self) { engine, operation throws(AuthFailure) in try await engine.returns.outcome(of: operation.id) }
        handlers.on(StopWaitingForBrowser.self) { engine, operation in await engine.returns.stopWaiting(for: operation.id) }

        // Registered clients
        handlers.on(KeepRegistration.self) { engine, operation throws(AuthFailure) in
            try await engine.registrations.keep(operation.management)
        }
        handlers.on(RemoveRegistration.self) { engine, operation throws(AuthFailure) in
            try await engine.registrations.unregister(
                operation.clientID, at: operation.issuer, caFile: operation.caFile, for: engine)
        }

        // The store. One that does not exist yet counts as locked if it needs a passphrase.
        handlers.on(ReadSeal.self) { engine, _ in
            engine.storeSeal.report
        }
        handlers.on(ChangeSeal.self) { engine, operation throws(AuthFailure) in
            try await engine.storeSeal.change(operation, to: engine.context.environment.keySource(operation.seal))
            return engine.storeSeal.report
        }
        handlers.on(UnlockStore.self) { engine, operation throws(AuthFailure) in
            try await engine.storeSeal.unlock(passphrase: operation.passphrase, isPIN: operation.isPIN)
            return engine.storeSeal.state
        }
        handlers.on(LockStore.self) { engine, _ throws(AuthFailure) in
            try await engine.storeSeal.lock(clearing: engine.restrictedTokens, engine.renewals.unsaved)
            return engine.storeSeal.state
        }
        return handlers
    }()

    /// Starts a sign-in attempt. The store must be writable.
    package func signIn(_ request: SignInRequest) async throws(AuthFailure) -> SignInAttempt {
        try await signingIn.start(request)
    }

    /// Returns the engine's events from now on, including changes by other processes. The selection changes nothing here: within one
    /// process, leaving the activity out would save nothing.
    package func events(_ selection: SessionServiceEvent.Selection) async -> AsyncStream<SessionServiceEvent> {
        await context.events.stream()
    }

    package func unlockIfNoPassphraseNeeded() async throws(AuthFailure) { try await storeSeal.unlockIfNoPassphraseNeeded() }

    package func deliverRevocations() async -> Timestamp? { await revocations.deliver() }

    /// Waits until this process holds no session lock, and refuses new ones.
    package func shutDown() async { await context.store.shutDown() }

    /// Asks a provider whether it knows the client, public or confidential. Kinds without an authorization server are not asked. Needs an
    /// unlocked store, which holds the secrets of clients that this program registered.
    ///
    /// - Throws: `.denied` with `invalid_client` (RFC 6749 section 5.2) if the server does not know the client; another failure if it could
    ///   not be asked.
    public func checkClient(of provider: ProviderName) async throws(AuthFailure) {
        try await context.providers.adapter(for: provider).checkClient()
    }
}
