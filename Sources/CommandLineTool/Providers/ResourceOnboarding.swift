internal import ArgumentParser
internal import AuthEngine
internal import AuthModel
internal import OAuth

/// Whom a person trusts to give tokens for a resource.
struct TrustOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The authorization server to use, of those that a resource names.", valueName: "issuer"))
    var issuer: String?

    @Flag(
        help:
            "Take the authorization server without asking, where it is the only one and of the resource's own host; and a resource on localhost."
    )
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
    /// The port of the redirect address to register; `nil` for any that is free.
    var port: Int?
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
        if resource.isPlainLocalhost { try await confirmLocalhost(resource) }
        if finding.metadata.isBroader { try await confirm(finding.metadata.resource, insteadOf: finding.called) }
        let issuer = try await authorizationServer(of: finding.metadata)
        var plan = try await ResourcePlanner(transport: context.edges.transport, time: context.edges.time).plan(
            finding, issuer: issuer, name: name, scopes: scopes, redirects: redirects)
        plan.port = port
        context.console.note("  it is asked for: \(plan.scopes.joined(separator: " "))")
        let clientID = try await ClientSource(options: client, context: context).settle(&plan)
        try file.add(name, plan.entry(clientID: clientID, clientSecretFile: client.clientSecretFile).settings)
        return name
    }

    /// The name stands for whatever listens on that port of this machine, which another user may have begun to.
    private func confirmLocalhost(_ resource: WebURL) async throws(AuthFailure) {
        if trust.yes { return }
        let host = resource.origin.authority
        guard context.canAsk else {
            throw AuthFailure(
                .usage, "\(resource) is a program of this machine that is called by name, which you have not confirmed",
                hint: "if it is yours, add: --yes")
        }
        context.console.note(
            "\(host) is a program of this machine: tokens go there over plain http, to whichever program listens on that port")
        context.console.ask("Is it yours? [y/N]")
        guard let line = await context.edges.streams.line(), ["y", "yes"].contains(line.trimmed.lowercased()) else {
            throw AuthFailure(.cancelled, "\(resource) was not confirmed")
        }
    }

    /// A resource may say that it is more than the address that was called. Then a token for it is good for all of that.
    private func confirm(_ resource: WebURL, insteadOf called: WebURL) async throws(AuthFailure) {
        let host = called.origin.authority
        context.console.note("\(host) gives tokens for \(resource), and not for \(called) alone:")
        context.console.note("  whatever gets such a token can use all of \(resource) with it")
        guard context.canAsk else {
            throw AuthFailure(
                .usage, "\(called) is part of the resource \(resource), which you have not confirmed",
                hint: "if that is right, sign in to the whole: yett login \(ShellWord(resource.description))")
        }
        context.console.ask("Sign in for all of \(resource)? [y/N]")
        guard let line = await context.edges.streams.line(), ["y", "yes"].contains(line.trimmed.lowercased()) else {
            throw AuthFailure(.cancelled, "\(resource) was not confirmed")
        }
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
                hint: "if it is right, add: --issuer \(ShellWord(named[0].text))")
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
    /// What `yett login` signs in to.
    struct Target {
        /// As it was given, or the name of the provider for the resource whose address it is.
        var argument: String?
        /// Whether it was given as the address of a resource.
        var isResource = false
        /// The provider that was added for it just now.
        var added: ProviderName?
    }

    /// Finds the provider for the resource whose address was given, and adds it where it is not configured yet.
    ///
    /// - Parameters:
    ///   - redirects: the redirect addresses to register.
    ///   - port: the port of the one that is made where none is given.
    static func target(
        _ argument: String?, client: ClientOptions, trust: TrustOptions, redirects: [String], port: Int?, in context: CommandContext
    ) async throws -> Target {
        guard let argument, argument.contains("://") else {
            guard redirects.isEmpty else {
                throw AuthFailure(
                    .usage, "--redirect goes with the address of a resource",
                    hint: "of a provider that is there, it stands in the configuration: redirect")
            }
            return Target(argument: argument)
        }
        guard let url = WebURL(argument), url.mayBeResource, url.fragment == nil else {
            throw AuthFailure(
                .usage, "'\(argument)' is no address of a resource",
                hint: "it is an https URL; http is taken for a loopback address or localhost only")
        }
        let known = try context.configurationFile().read().providers.first {
            $0.resources.contains(argument) || $0.issuer?.text == argument
        }
        if let known { return Target(argument: known.name.text, isResource: true) }
        let discovery = ResourceDiscovery(transport: context.edges.transport, time: context.edges.time)
        let onboarding = ResourceOnboarding(
            name: nil, client: client, trust: trust, scopes: [], redirects: redirects, port: port, context: context)
        let finding = try await discovery.find(url, challenge: discovery.challenge(at: url, posting: .always))
        let before = try context.configurationFile().read()
        let name = try await onboarding.add(finding)
        guard before.provider(name) == nil else { return Target(argument: name.text, isResource: true) }
        context.console.note("added: \(name)")
        return Target(argument: name.text, isResource: true, added: name)
    }

    /// Removes a provider that was added for a sign-in that failed, with the client that was registered for it, so that the next try begins
    /// anew. What cannot be taken back is said.
    static func takeBack(_ name: ProviderName, in context: CommandContext) async {
        do throws(AuthFailure) {
            let file = try context.configurationFile()
            let provider = try file.read().named(name.text)
            guard try await context.service().sessions().allSatisfy({ $0.name.provider != name }) else { return }
            try file.remove(name)
            await RegisteredClientRemoval(context: context).remove(provider)
            context.console.note("removed again: \(name), because the sign-in failed")
        } catch {
            context.console.warning("\(name) stays in the configuration: \(error.summary)")
        }
    }
}
