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

    /// Adds the provider and returns its name; one that is there for this resource already is taken as it is.
    func add(_ finding: ResourcePlanner.Finding) async throws -> ProviderName {
        let resource = finding.metadata.resource
        let file = try context.configurationFile()
        let configuration = try file.read()
        if let known = configuration.providers.first(where: { $0.resources.contains(resource.text) }) {
            context.console.note("\(known.name) is the provider for \(resource) already")
            return known.name
        }
        context.console.note("found: \(finding.metadata.name.map { "\($0), " } ?? "")\(resource.text)")
        let name =
            try name.map { text throws(AuthFailure) in try ProviderName(argument: text) }
            ?? configuration.freeName(for: resource.origin)
        try ProviderPlanner(context).checkFree(name)
        let issuer = try await authorizationServer(of: finding.metadata)
        var plan = try await ResourcePlanner(transport: context.edges.transport, time: context.edges.time).plan(
            finding, issuer: issuer, name: name, scopes: scopes, redirects: redirects)
        context.console.note("  it is asked for: \(plan.scopes.joined(separator: " "))")
        let clientID = try await ClientSource(options: client, context: context).settle(&plan)
        try file.add(name, plan.entry(clientID: clientID, clientSecretFile: client.clientSecretFile).settings)
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
        let added = try await onboarding.add(discovery.find(url, challenge: discovery.challenge(at: url)))
        context.console.note("added: \(added)")
        return added.text
    }
}
