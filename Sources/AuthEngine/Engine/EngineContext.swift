internal import AuthModel
internal import SessionStore

/// The collaborators that all operations of the engine share.
struct EngineContext: Sendable {
    let store: SessionStore
    let environment: EngineEnvironment
    let providers: ProviderDirectory
    let events: SessionEvents
    let sessions: StoredSessions

    /// The clocks.
    var time: any TimeSource { environment.time }

    /// Creates the collaborators.
    ///
    /// - Parameter renewals: the renewals in progress, which the list of sessions shows.
    init(
        providers: [ProviderConfiguration], store: SessionStore, environment: EngineEnvironment,
        renewals: TasksInProgress<SessionName, SessionRecord>
    ) {
        self.store = store
        self.environment = environment
        self.providers = ProviderDirectory(providers, environment: environment)
        let listing = SessionListing(store: store, providers: self.providers, renewals: renewals, time: environment.time)
        events = SessionEvents(listing: listing, environment: environment)
        sessions = StoredSessions(listing: listing, events: events, accounts: ActiveAccounts(store: store))
    }
}
