public import AuthModel
public import SessionStore

/// The session service that works in this process: runs flows, renews sessions, issues tokens and signs out, under the store's locks.
///
/// Several engines, in one process or in many, may use one store at the same time. They coordinate through the store: a renewal runs under
/// the session's lock and reads the record again once it holds the lock.
///
/// The engine only delegates. Each operation is a value of its own type, which the engine makes for one call: ``TokenRenewal``, ``SignIn``,
/// ``SignOut``, ``TokenIssuing`` and others. What lasts from one call to the next is in objects, and each changes its own state atomically:
/// ``ProviderDirectory``, ``SessionEvents``, ``RenewalState``, ``NarrowedTokens``, ``SignInAttempts`` and ``BrowserReturns``.
public actor Engine {
    let context: EngineContext
    let renewals: RenewalState
    let narrowedTokens = NarrowedTokens()
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

    nonisolated var storeSeal: StoreSeal { StoreSeal(store: context.store, events: context.events) }
    nonisolated var guests: GuestSessions { GuestSessions(context: context) }
    nonisolated var revocations: RevocationDelivery { RevocationDelivery(context: context) }
    nonisolated var inspection: SessionInspection { SessionInspection(context: context) }
    nonisolated var registrations: ClientRegistrations { ClientRegistrations(context: context, seal: storeSeal) }
    nonisolated var admission: TokenAdmission { TokenAdmission(context: context, narrowedTokens: narrowedTokens) }
    nonisolated var renewal: TokenRenewal { TokenRenewal(context: context, state: renewals, baseSessions: self) }
    nonisolated var resources: ResourceTokens { ResourceTokens(context: context, renewal: renewal, guests: guests) }
    nonisolated var derivedCredentials: DerivedCredentials { DerivedCredentials(context: context) }
    nonisolated var remote: RemoteTokens { RemoteTokens(context: context, renewal: renewal) }
    nonisolated var issuing: TokenIssuing {
        TokenIssuing(
            context: context, admission: admission, renewal: renewal,
            narrowing: TokenNarrowing(context: context, renewal: renewal, tokens: narrowedTokens), resources: resources)
    }
    nonisolated var signingIn: SignIn {
        SignIn(context: context, attempts: attempts, seal: storeSeal, guests: guests, revocations: revocations, baseSessions: self)
    }
    nonisolated var signingOut: SignOut {
        SignOut(context: context, renewals: renewals, returns: returns, guests: guests, revocations: revocations)
    }
    nonisolated var bases: BaseSessionAccess { BaseSessionAccess(context: context, issuing: issuing, signIn: signingIn) }
}
