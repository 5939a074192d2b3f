internal import ArgumentParser
internal import AuthEngine
internal import AuthModel
internal import Localization
internal import OAuth
internal import TOML
internal import UserConfiguration

/// The options that confirm which authorization server the user trusts for a resource.
struct TrustOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The authorization server to use, if a resource names several.", valueName: "issuer"))
    var issuer: String?

    @Flag(
        help:
            "Skip confirmation if the resource is on localhost, or its only authorization server has the same host and port and no other path, on localhost any port."
    )
    var yes = false

    @Option(
        help: ArgumentHelp(
            "The session at your company's identity provider that gives access to the resource, without a page.", valueName: "session"),
        completion: .names(.sessions))
    var from: String?
}

/// Adds a provider to the configuration from the address of a protected resource (RFC 9728): chooses the authorization server, the client
/// and the scopes.
///
/// A resource's metadata is untrusted. So the user confirms the authorization server, and no credential of another provider is sent there.
struct ResourceOnboarding {
    let name: String?
    var client: ClientOptions
    var trust: TrustOptions
    /// The base session of a provider that moves. The user has not named it for the new server.
    var formerBase: SessionName?
    let scopes: [String]
    let redirects: [String]
    /// The port of the redirect address to register; `nil` for any free port.
    var port: Int?
    let context: CommandContext

    /// The provider for a resource.
    struct Addition {
        let name: ProviderName
        /// The provider as it was added; `nil` if it was there before.
        var added: ProviderConfiguration?
    }

    /// Adds the provider. If one for this resource exists already, returns that one unchanged.
    func add(_ finding: DiscoveredResource) async throws -> Addition {
        let resource = finding.metadata.resource
        let file = try context.configurationFile()
        let configuration = try file.read()
        if let known = configuration.providers.first(where: { $0.resources.contains(resource.text) }) {
            context.console.note("\(known.name) is already the provider for \(resource)")
            return Addition(name: known.name)
        }
        context.console.note("found: \(finding.metadata.name.map { "\($0), " } ?? "")\(resource.text)")
        if finding.metadata.isAssumed {
            context.console.note("  it does not say where to sign in; MCP servers of 2025-03-26 sign users in themselves")
        }
        let name =
            try name.map { text throws(AuthFailure) in try ProviderName(argument: text) }
            ?? configuration.unusedName(for: resource.origin)
        // Only a name that the user chose must be free. A generated one is chosen again if it is taken meanwhile.
        if self.name != nil { try ProviderPlanner(context).checkFree(name) }
        if resource.isPlainLocalhost { try await confirmLocalhost(resource) }
        // All of a port of localhost is one program, for which the user has vouched already.
        let isVouchedFor = trust.yes && resource.isPlainLocalhost
        if finding.metadata.isBroader, !isVouchedFor { try await confirm(resource, insteadOf: finding.called) }
        let server = try await authorizationServer(of: finding.metadata)
        return try await add(name, try await settings(of: finding, at: server, name: name), for: resource, to: file)
    }

    /// Adds the provider: under another name if the user chose none, and a sign-in in another terminal has taken it meanwhile. If that one
    /// is for the same resource, or if the provider cannot be added, removes the client that was registered for it.
    private func add(
        _ name: ProviderName, _ settings: [(key: String, value: String)], for resource: WebURL, to file: ConfigurationFile
    ) async throws(AuthFailure) -> Addition {
        var name = name
        while true {
            do throws(AuthFailure) {
                try file.add(name, settings)
                return Addition(name: name, added: (try? file.read())?.provider(name))
            } catch {
                let configuration = (try? file.read()) ?? Configuration()
                if self.name == nil, configuration.provider(name) != nil {
                    guard let known = configuration.providers.first(where: { $0.resources.contains(resource.text) }) else {
                        name = try configuration.unusedName(for: resource.origin)
                        continue
                    }
                    context.console.note("\(known.name) is already the provider for \(resource)")
                    await removeClient(of: settings, for: name, in: file)
                    return Addition(name: known.name)
                }
                await removeClient(of: settings, for: name, in: file)
                throw error
            }
        }
    }

    /// Removes the client of a provider that was not added, or not kept, unless another provider has it.
    private func removeClient(of settings: [(key: String, value: String)], for name: ProviderName, in file: ConfigurationFile) async {
        guard let provider = try? file.provider(name, settings) else { return }
        await RegisteredClientRemoval(context: context).remove(provider)
    }

    /// Returns the settings of a provider for a resource, with its client.
    ///
    /// - Parameter kept: settings of the user that stay.
    private func settings(
        of finding: DiscoveredResource, at server: ChosenServer, name: ProviderName, keeping kept: TOMLValue = .table([])
    ) async throws -> [(key: String, value: String)] {
        let issuer = server.issuer
        let planner = ResourcePlanner(discovery: NetworkDiscovery(context), presets: try context.configurationFile().presets())
        var plan: ProviderPlan
        if let company = try await IdentityProviderSessions(context: context).session(
            for: issuer, named: trust.from ?? formerBase?.description)
        {
            context.console.note("  \(company.session) gives access to it: \(issuer.url.origin.authority) shows no page")
            let base = try context.configurationFile().read().named(company.session.provider.text)
            // The user's own policy for this provider stays.
            let policy = kept["policy"] == nil ? base.policy : .allow
            plan = planner.plan(
                finding, issuer: issuer, name: name, scopes: scopes, from: company.session, policy: policy, metadata: company.metadata)
            if policy != .allow { context.console.note("  policy = \"\(policy.rawValue)\", as for \(base.name)") }
            if trust.from == nil { try await confirm(company.session, for: finding.metadata.resource, at: issuer, scopes: plan.scopes) }
        } else {
            do throws(AuthFailure) {
                plan = try await planner.plan(
                    finding, issuer: issuer, namedBy: server.namedBy, name: name, scopes: scopes, redirects: redirects)
            } catch {
                let other = try await self.server(namedBy: error, instead: issuer, for: finding.metadata.resource)
                return try await settings(of: finding, at: other, name: name, keeping: kept)
            }
            plan.port = port
            if !plan.unconfirmedHosts.isEmpty {
                try await SignInHostsQuestion(context: context, hosts: plan.unconfirmedHosts).ask(about: finding.called.text)
                plan.confirmHosts()
            }
        }
        plan.table = plan.table.merged(over: kept)
        if !plan.scopes.isEmpty { context.console.note("  requested scopes: \(plan.scopes.joined(separator: " "))") }
        if scopes.isEmpty, plan.scopes.count > 1, plan.hasRedirect, !plan.canRegister, !plan.acceptsClientDocument {
            context.console.note("  the client needs each of them; --scope names fewer")
        }
        let source = ClientSource(options: client, context: context)
        let clientID = try await source.complete(&plan)
        // A client that is a document has no secret.
        let hasDocument = ClientIDDocument.url(clientID) != nil
        return plan.settings(
            clientID: clientID, clientSecretFile: hasDocument ? client.clientSecretFile : try await source.secretFile(for: plan))
    }

    /// Moves a provider to an authorization server that its resource names now, after a question. The old one's sessions and client are of
    /// no use there; they stay until ``ProviderMove/finish(in:)``.
    func follow(_ change: AuthorizationServerChange, _ provider: ProviderConfiguration) async throws -> ProviderMove {
        context.console.note("\(change.finding.called.origin.authority) no longer accepts tokens from \(change.issuer)")
        let file = try context.configurationFile()
        try file.checkRemovable(provider.name)
        var onboarding = self
        // The one who says yes to a new resource has not said yes to another server of a known one.
        onboarding.trust.yes = false
        onboarding.formerBase = provider.exchange?.from
        let server = try await onboarding.authorizationServer(of: change.finding.metadata)
        if !client.namesClient, provider.registeredScopes != nil { onboarding.client.register = true }
        let table = file.root["providers"]?[provider.name.text]?.members ?? []
        let kept = TOMLValue.table(table.filter { AuthorizationServerChange.keptKeys.contains($0.name) })
        let sessions = try await context.service().sessions().filter { $0.name.provider == provider.name }
        let settings = try await onboarding.settings(of: change.finding, at: server, name: provider.name, keeping: kept)
        do throws(AuthFailure) {
            let replaced = try file.replace(provider, with: settings)
            context.console.note("\(provider.name) moves to \(server.issuer)")
            return ProviderMove(replaced: replaced, sessions: sessions)
        } catch {
            await removeClient(of: settings, for: provider.name, in: file)
            throw error
        }
    }

    /// Asks the user to confirm a resource on localhost: any program may listen on that port, including one of another user.
    private func confirmLocalhost(_ resource: WebURL) async throws(AuthFailure) {
        if trust.yes { return }
        let notes = [
            "\(resource.origin.authority) is a program on this machine: tokens go over plain http to any program that listens on that port"
        ]
        try await confirm(
            "Is it yours?", after: notes, or: "\(resource) is a program on this machine", hint: "if it is yours, add: --yes",
            refused: "\(resource) was not confirmed")
    }

    /// Asks the user to confirm a resource that covers more than the address that was called. A token for it is valid for the whole
    /// resource.
    private func confirm(_ resource: WebURL, insteadOf called: WebURL) async throws(AuthFailure) {
        let notes = [
            "\(called.origin.authority) requires tokens for \(resource), not only for \(called):",
            "  a program that gets such a token can use all of \(resource)",
        ]
        try await confirm(
            "Sign in for all of \(resource)?", after: notes, or: "\(called) is part of the resource \(resource)",
            hint: "if that is right, \(Self.confirmation(of: called))",
            refused: "\(resource) was not confirmed")
    }

    /// Asks the user to confirm that a company session, which was found automatically, gives access to a resource. No page asks that, and
    /// the resource, which is untrusted, chooses the scopes.
    private func confirm(
        _ session: SessionName, for resource: WebURL, at issuer: Issuer, scopes: [String]
    ) async throws(AuthFailure) {
        let host = resource.origin.authority
        let notes = [
            "\(host) would get tokens of \(issuer) for the user of \(session), and no page asks you:",
            "  scopes: \(scopes.isEmpty ? "those that \(issuer.url.origin.authority) chooses" : scopes.joined(separator: " "))",
        ]
        try await confirm(
            "Use \(session) for \(host)?", after: notes, or: "\(session) can give access to \(host)",
            hint: "name the session with --from, or \(Self.confirmation(of: resource))",
            refused: "the use of \(session) for \(host) was not confirmed")
    }

    /// Returns where the user confirms something. A hint has no value that a server named as the confirmation: assistants run such
    /// commands.
    private static func confirmation(of address: WebURL) -> String { "confirm it at a terminal: yett login \(ShellWord(address.text))" }

    /// Asks a question whose default answer is no.
    ///
    /// - Throws: `.usage` with `fact` and `hint` if the user cannot be asked, `.cancelled` if the answer is not yes.
    private func confirm(
        _ question: String, after notes: [String], or fact: String, hint: String, refused: String
    ) async throws(AuthFailure) {
        for note in notes { context.console.note(note) }
        guard context.canAsk else { throw AuthFailure(.usage, text: "\(fact), and you have not confirmed it", hint: hint) }
        guard await context.agrees(to: question) else { throw AuthFailure(.cancelled, text: refused) }
    }

    // MARK: The authorization server

    /// The authorization server that the user chose.
    private struct ChosenServer {
        let issuer: Issuer
        /// The server that the resource names, if its metadata name this one.
        var namedBy: Issuer?
    }

    private func authorizationServer(of resource: ResourceMetadata) async throws(AuthFailure) -> ChosenServer {
        let named = resource.authorizationServers
        let host = resource.resource.origin.authority
        if let text = trust.issuer {
            if let issuer = named.first(where: { $0.text == text }) { return ChosenServer(issuer: issuer) }
            for server in named where server.mayBeAsked(for: resource.resource) {
                // Not the server in front of it, which may say something else the next time.
                if let own = await NetworkDiscovery(context).issuer(namedBy: server), own.text == text {
                    return ChosenServer(issuer: own, namedBy: server)
                }
            }
            throw AuthFailure(
                .usage, text: "\(host) does not accept tokens from \(text)",
                hint: named.isEmpty ? "it names no authorization server" : "it names \(Self.list(named))")
        }
        guard !named.isEmpty else {
            throw AuthFailure(
                .configuration, text: "\(host) names no authorization server",
                hint: "add its provider yourself: yett providers add ISSUER")
        }
        if trust.yes, named.count == 1, named[0].isBeside(resource.resource) { return ChosenServer(issuer: named[0]) }
        // An authorization server that is already configured for something else needs confirmation too: a resource that names it would get
        // tokens from it.
        guard context.canAsk else {
            throw AuthFailure(
                .usage, text: "\(host) accepts tokens from \(Self.list(named)), and you have not confirmed that",
                hint: "name the one that you trust with --issuer, or \(Self.confirmation(of: resource.resource))")
        }
        return ChosenServer(issuer: try await ask(named, host: host))
    }

    /// Returns the authorization server that the metadata of `issuer` name in its place, as those of a gateway in front of it do. A
    /// document of another path or origin is not used (RFC 8414 section 3.3): the other server has to publish its own. The user has to
    /// agree. Otherwise throws `mismatch`.
    private func server(
        namedBy mismatch: AuthFailure, instead issuer: Issuer, for resource: WebURL
    ) async throws(AuthFailure) -> ChosenServer {
        guard let named = mismatch.namedIssuer.flatMap(Issuer.init), resource.origin.isThisMachine || !named.url.origin.isThisMachine else {
            throw mismatch
        }
        let hint = "name the one that you trust with --issuer, or \(Self.confirmation(of: resource))"
        // The document of another server does not choose whom Yett calls.
        guard context.canAsk else { throw AuthFailure(mismatch.kind, mismatch.message, hint: .verbatim(hint)) }
        let own = await NetworkDiscovery(context).issuer(namedBy: named)
        guard own == named || own == nil && issuer.isOrigin(of: named) else { throw mismatch }
        let notes = ["\(issuer.text) does not sign users in itself: it says that it is \(named.text)"]
        try await confirm(
            "Sign in at \(named.text)?", after: notes, or: "\(issuer.text) says that it is \(named.text)", hint: hint,
            refused: "\(named.text) was not confirmed")
        return ChosenServer(issuer: named, namedBy: issuer)
    }

    private static func list(_ issuers: [Issuer]) -> String { issuers.map(\.text).joined(separator: ", ") }

    private func ask(_ issuers: [Issuer], host: String) async throws(AuthFailure) -> Issuer {
        context.console.note("\(host) accepts tokens from:")
        for (index, issuer) in issuers.enumerated() { context.console.note("  \(index + 1)  \(issuer.text)") }
        while true {
            context.console.ask("Where do you want to sign in? [1-\(issuers.count), Enter cancels]")
            guard let line = await context.edges.streams.line()?.trimmed, !line.isEmpty else {
                throw AuthFailure(.cancelled, text: "no authorization server was chosen")
            }
            if let number = Int(line), issuers.indices.contains(number - 1) { return issuers[number - 1] }
        }
    }
}
