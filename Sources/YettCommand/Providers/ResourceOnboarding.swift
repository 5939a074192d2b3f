internal import ArgumentParser
internal import AuthEngine
internal import AuthModel
internal import OAuth

/// Whom a person trusts to give tokens for a resource.
struct TrustOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The authorization server to use, of those that a resource names.", valueName: "issuer"))
    var issuer: String?

    @Flag(help: "Take the authorization server without asking, where it is the only one and of the resource's own host.")
    var yes = false
}

/// From the address of a protected resource to a provider in the configuration (RFC 9728): which authorization server, which client, which
/// scopes.
///
/// What a resource says of itself is a stranger's word. So the person confirms the authorization server, and nothing of another provider
/// goes there.
struct ResourceOnboarding {
    let name: String?
    let client: ClientOptions
    let trust: TrustOptions
    let scopes: [String]
    let redirects: [String]
    let context: CommandContext

    /// A resource, and the challenge that it answered with.
    struct Target {
        let url: WebURL
        let challenge: Challenge?
    }

    /// Adds the provider and returns its name; one that is there for this resource already is taken as it is.
    func add(_ target: Target) async throws -> ProviderName {
        let transport = context.edges.transport
        let finding = try await ResourceDiscovery(transport: transport, time: context.edges.time).find(
            target.url, challenge: target.challenge)
        let resource = finding.metadata.resource
        let file = try context.configurationFile()
        let configuration = try file.read()
        if let known = configuration.providers.first(where: { $0.resources.contains(resource.text) }) {
            context.console.note("\(known.name) is the provider for \(resource) already")
            return known.name
        }
        context.console.note("found: \(finding.metadata.name.map { "\($0), " } ?? "")\(resource.text)")
        let name = try name.map { text throws(AuthFailure) in try ProviderName(argument: text) } ?? ProviderName(for: resource.origin)
        guard configuration.provider(name) == nil else {
            throw AuthFailure(.configuration, "there is a provider named '\(name)' already", hint: "choose another name with --name")
        }
        let issuer = try await authorizationServer(of: finding.metadata)
        let server = try await server(issuer)
        let wanted = settledScopes(finding, at: server)
        context.console.note("  it is asked for: \(wanted.joined(separator: " "))")
        let source = ClientSource(options: client, redirects: redirects, scopes: wanted, context: context)
        var entry = ProviderEntry(
            kind: wanted.contains("openid") ? .oidc : .oauth2, issuer: issuer,
            clientID: try await source.settle(server, host: issuer.url.origin.authority), scopes: wanted, redirects: redirects)
        entry.clientSecretFile = client.clientSecretFile
        entry.resource = resource.text
        try file.add(name, entry.settings)
        return name
    }

    // MARK: The authorization server

    private func authorizationServer(of resource: ResourceMetadata) async throws(AuthFailure) -> Issuer {
        let named = resource.authorizationServers
        let host = resource.resource.origin.authority
        if let text = trust.issuer {
            if let issuer = named.first(where: { $0.text == text }) { return issuer }
            throw AuthFailure(
                .usage, "\(host) does not take tokens of \(text)",
                hint: named.isEmpty ? "it names no authorization server" : "it names \(Self.list(named))")
        }
        guard !named.isEmpty else {
            throw AuthFailure(
                .configuration, "\(host) does not say where its tokens come from",
                hint: "add its provider by hand: yett providers add ISSUER")
        }
        if trust.yes, named.count == 1, named[0].url.origin.host == resource.resource.origin.host { return named[0] }
        // One that is configured for something else is no exception: a resource that names it would get tokens of it.
        guard context.canAsk else {
            throw AuthFailure(
                .usage, "\(host) takes tokens of \(Self.list(named)), which you have not confirmed",
                hint: "if it is right, add: --issuer \(named[0].text)")
        }
        return try await ask(named, host: host)
    }

    private static func list(_ issuers: [Issuer]) -> String { issuers.map(\.text).joined(separator: ", ") }

    private func ask(_ issuers: [Issuer], host: String) async throws(AuthFailure) -> Issuer {
        context.console.note("\(host) takes tokens of:")
        for (index, issuer) in issuers.enumerated() { context.console.note("  \(index + 1)  \(issuer.text)") }
        while true {
            context.console.ask("Where do you want to sign in? [1-\(issuers.count), or nothing to stop]")
            guard let line = await context.edges.streams.line()?.trimmed, !line.isEmpty else {
                throw AuthFailure(.cancelled, "no authorization server was chosen")
            }
            if let number = Int(line), issuers.indices.contains(number - 1) { return issuers[number - 1] }
        }
    }

    /// Its metadata, as OpenID provider or as plain OAuth server. One that does not say that it checks PKCE is refused: the resource is a
    /// stranger, and nothing else binds the code to us.
    private func server(_ issuer: Issuer) async throws(AuthFailure) -> ProviderMetadata {
        let metadata = try await Discovery(transport: context.edges.transport, time: context.edges.time).find(issuer, kind: .oauth2)
            .metadata
        guard metadata.codeChallengeMethods?.contains("S256") == true else {
            throw AuthFailure(
                .security, "\(issuer.url.origin.authority) does not say that it checks PKCE with S256", hint: "tell whoever runs it")
        }
        return metadata
    }

    /// What the resource wants; of OpenID what tells who signed in, and what renews, where the server offers them.
    private func settledScopes(_ finding: ResourceDiscovery.Finding, at server: ProviderMetadata) -> [String] {
        guard scopes.isEmpty else { return scopes }
        let offered = server.scopes ?? []
        let isOpenID = offered.contains("openid") && server.keysEndpoint != nil
        let useful = (isOpenID ? ["openid", "profile", "email"] : []) + ["offline_access"]
        return ScopeSet(useful.filter(offered.contains) + finding.scopes).values
    }
}

extension ResourceOnboarding {
    /// What `yett login` is to sign in to: the argument as it stands, or the provider for the resource whose address it is, which is added
    /// where it is not configured yet.
    static func provider(
        _ argument: String?, client: ClientOptions, trust: TrustOptions, in context: CommandContext
    ) async throws -> String? {
        guard let argument, argument.contains("://") else { return argument }
        guard let url = WebURL(argument), url.isProtected, url.fragment == nil else {
            throw AuthFailure(
                .usage, "'\(argument)' is no address of a resource", hint: "it is an https URL; http is taken for a loopback literal only")
        }
        let known = try context.configurationFile().read().providers.first {
            $0.resources.contains(argument) || $0.issuer?.text == argument
        }
        if let known { return known.name.text }
        let discovery = ResourceDiscovery(transport: context.edges.transport, time: context.edges.time)
        let onboarding = ResourceOnboarding(name: nil, client: client, trust: trust, scopes: [], redirects: [], context: context)
        let added = try await onboarding.add(Target(url: url, challenge: try await discovery.challenge(at: url)))
        context.console.note("added: \(added)")
        return added.text
    }
}
