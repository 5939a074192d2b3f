internal import AuthModel
internal import SessionStore
internal import Synchronization

/// The adapters of the configured providers. An operation in progress keeps the adapter that it started with.
final class ProviderDirectory: Sendable {
    private let environment: EngineEnvironment
    private let adapters: Mutex<[ProviderName: any ProviderAdapter]>

    /// Creates the adapters of the configured providers.
    init(_ providers: [ProviderConfiguration], environment: EngineEnvironment) {
        self.environment = environment
        var adapters: [ProviderName: any ProviderAdapter] = [:]
        for provider in providers { adapters[provider.name] = provider.makeAdapter(in: environment) }
        self.adapters = Mutex(adapters)
    }

    /// Replaces the configured providers. An unchanged provider keeps its adapter.
    func configure(_ providers: [ProviderConfiguration]) {
        adapters.withLock { adapters in
            var changed: [ProviderName: any ProviderAdapter] = [:]
            for provider in providers {
                let known = adapters[provider.name].flatMap { $0.configuration == provider ? $0 : nil }
                changed[provider.name] = known ?? provider.makeAdapter(in: environment)
            }
            adapters = changed
        }
    }

    /// Returns the provider's adapter; `nil` if it is not configured.
    subscript(provider: ProviderName) -> (any ProviderAdapter)? { adapters.withLock { $0[provider] } }

    /// All adapters, sorted by the providers' names.
    var all: [any ProviderAdapter] {
        adapters.withLock { Array($0.values) }.sorted { $0.configuration.name < $1.configuration.name }
    }

    /// Returns the provider's adapter. Throws `.configuration` with the nearest name if it is not configured.
    func adapter(for provider: ProviderName) throws(AuthFailure) -> any ProviderAdapter {
        if let adapter = self[provider] { return adapter }
        let near = all.map(\.configuration.name.text).nearest(to: provider.text)
        throw AuthFailure(
            .configuration, UserMessage("provider.unknown", ["provider": provider]),
            hint: near.map { UserMessage("hint.did_you_mean_provider", ["provider": $0]) }
                ?? UserMessage("hint.add_named_provider", ["provider": provider]))
    }

    /// Returns the adapter of a session that was made at the configured issuer of its provider.
    func ownAdapter(of record: SessionRecord) throws(AuthFailure) -> any ProviderAdapter {
        // One lookup: the configuration may be replaced at any moment, and the adapter that was checked must be the one that is used.
        let adapter = try adapter(for: record.summary.name.provider)
        try Self.requireOwn(record, at: adapter)
        return adapter
    }

    /// Throws if the session was made at another issuer than its provider is configured with: its tokens belong to that issuer. Passes if
    /// the provider is no longer configured, because then no server can receive the tokens.
    func requireOwn(_ record: SessionRecord) throws(AuthFailure) {
        guard let adapter = self[record.summary.name.provider] else { return }
        try Self.requireOwn(record, at: adapter)
    }

    private static func requireOwn(_ record: SessionRecord, at adapter: any ProviderAdapter) throws(AuthFailure) {
        let name = record.summary.name
        guard !adapter.isOwn(record) else { return }
        throw AuthFailure(
            .configuration, UserMessage("provider.configuration_changed", ["provider": name.provider, "session": name]),
            hint: UserMessage("hint.restore_configuration", ["provider": name.provider]))
    }

    /// Throws `.configuration` if base providers form a cycle. A renewal waits for the base session's renewal, so a cycle would never end.
    func rejectCycle(from start: ProviderName) throws(AuthFailure) {
        var seen: Set<ProviderName> = []
        var next: ProviderName? = start
        while let provider = next {
            guard seen.insert(provider).inserted else {
                throw AuthFailure(
                    .configuration, UserMessage("provider.depends_on_itself", ["provider": start]),
                    hint: UserMessage("hint.set_from_to_own_sign_in", ["provider": start]))
            }
            next = self[provider]?.base?.provider
        }
    }

    /// Returns the summaries of all providers, sorted by name.
    ///
    /// - Parameters:
    ///   - sessions: all sessions.
    ///   - active: the default account of each provider that has several.
    func summaries(sessions: [SessionSummary], active: [ProviderName: String]) -> [ProviderSummary] {
        all.map { adapter in
            let configuration = adapter.configuration
            let accounts = sessions.filter { $0.name.provider == configuration.name && !$0.isAnonymousGuest }.compactMap(\.name.account)
            var summary = ProviderSummary(
                name: configuration.name, kind: configuration.kind, address: adapter.address, scopes: configuration.scopes,
                offersSignUp: adapter.offersSignUp,
                accounts: accounts.map { ($0.asciiLowercased(), $0) }.sorted { $0 < $1 }.map(\.1),
                labels: configuration.labels, promptsGuests: adapter.promptsGuests)
            summary.defaultAccount = active[configuration.name]
            summary.base = adapter.base
            summary.revokes = adapter.revokes
            summary.hasBrowserSession = adapter.hasBrowserSession
            summary.hasRoles = adapter.roleSource != nil
            summary.endsWithProcess = configuration.sessionLifetime == .process
            return summary
        }
    }
}
