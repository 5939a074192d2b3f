internal import AuthEngine
internal import AuthModel
internal import OAuth
internal import ProviderKinds
internal import UserConfiguration

/// The discovery of providers and resources with the engine's transport.
struct EngineDiscovery: ProviderDiscovery {
    let transport: any HTTPTransport
    let time: any TimeSource

    func metadata(of provider: ProviderConfiguration) async throws(AuthFailure) -> ProviderMetadata {
        guard let issuer = provider.issuer else {
            throw AuthFailure(.configuration, UserMessage("config.key_missing", ["key": "issuer", "section": provider.name]))
        }
        var discovery = Discovery(transport: transport, time: time, caFile: provider.caFile)
        discovery.dialect = provider.dialect
        return try await discovery.find(issuer, kind: provider.kind).metadata
    }

    func challenge(at url: WebURL) async throws(AuthFailure) -> Challenge? {
        try await ResourceDiscovery(transport: transport, time: time).challenge(at: url)
    }

    func resource(at url: WebURL, challenge: Challenge?) async throws(AuthFailure) -> DiscoveredResource {
        try await ResourceDiscovery(transport: transport, time: time).find(url, challenge: challenge)
    }

    func finding(of provider: ProviderConfiguration) async throws(AuthFailure) -> UserMessage? {
        try await provider.finding(
            in: EngineEnvironment(makeAdapter: EngineEnvironment.allKinds, transport: transport, time: time, cacheDirectory: nil))
    }
}

extension EngineDiscovery {
    init(_ context: CommandContext) { self.init(transport: context.edges.transport, time: context.edges.time) }
}

extension ProviderPlanner {
    init(_ context: CommandContext) throws(AuthFailure) {
        try self.init(discovery: EngineDiscovery(context), file: try context.configurationFile())
    }
}
