internal import ArgumentParser
internal import AuthEngine
internal import AuthModel
internal import OAuth

/// `yett providers add`: finds out who a provider is and writes it into the configuration.
struct ProvidersAddCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a provider to the configuration, after asking it who it is.",
        discussion: """
            A well-known provider is named: \(ProviderPreset.all.map(\.name).joined(separator: ", ")). Any other is given by its issuer, or by
            the address of a protected resource, such as an MCP server, which says where its tokens come from.
            The rest of the file, its comments too, stays as it is.
            """)

    @Argument(help: "A well-known provider, an issuer, the address of its metadata, or the address of a protected resource.")
    var provider: String

    @Option(help: ArgumentHelp("The name it is to have here; made from its host where it is left out.", valueName: "name"))
    var name: String?

    @Option(help: ArgumentHelp("Where a well-known provider is for you: your domain, tenant or host.", valueName: "place"))
    var at: String?

    @Option(help: ArgumentHelp("oidc or oauth2.", valueName: "kind"))
    var kind: String?

    @Option(name: .customLong("scope"), help: ArgumentHelp("A scope to ask for; may be repeated.", valueName: "scope"))
    var scopes: [String] = []

    @Option(name: .customLong("redirect"), help: ArgumentHelp("A redirect address that is registered; may be repeated.", valueName: "url"))
    var redirects: [String] = []

    @Flag(help: "Do not ask the provider, only write.")
    var noCheck = false

    @OptionGroup var client: ClientOptions
    @OptionGroup var trust: TrustOptions
    @OptionGroup var options: GlobalOptionsHelp

    func validate() throws {
        if noCheck, client.register { throw ValidationError("--register asks the provider; leave out --no-check") }
    }

    func run(in context: CommandContext) async throws {
        let kind = try settledKind()
        if let preset = ProviderPreset.named(provider) {
            return try await add(try preset.issuer(at: at), kind: kind ?? preset.kind, preset: preset, in: context)
        }
        guard at == nil else {
            throw AuthFailure(.usage, "--at goes with a well-known provider only", hint: "see: yett providers add --help")
        }
        if let resource = try await resource(kind: kind, in: context) {
            let onboarding = ResourceOnboarding(
                name: name, client: client, trust: trust, scopes: scopes, redirects: redirects, context: context)
            let added = try await onboarding.add(resource)
            try context.console.lines(["added: \(added)"])
            return context.console.hint("sign in with: yett login \(added)")
        }
        let issuer = try parsedIssuer()
        let preset = ProviderPreset.recognising(issuer)
        if let preset, case .unsupported = preset.address { _ = try preset.issuer(at: nil) }
        try await add(issuer, kind: kind ?? preset?.kind ?? .oidc, preset: preset, in: context)
    }

    private func settledKind() throws(AuthFailure) -> ProviderKind? {
        guard let kind else { return nil }
        let known: [ProviderKind] = [.oidc, .oauth2]
        if let known = known.first(where: { $0.rawValue == kind }) { return known }
        throw AuthFailure(
            .usage, "there is no kind '\(kind)' to add", hint: "this command knows \(known.map(\.rawValue).joined(separator: ", "))")
    }

    /// The address, where what answers there asks for a token, as no issuer does. Nobody is asked where a kind or no check was demanded.
    private func resource(kind: ProviderKind?, in context: CommandContext) async throws(AuthFailure) -> ResourceOnboarding.Target? {
        guard kind == nil, !noCheck, !provider.contains("/.well-known/"), let url = WebURL(address), url.isProtected, url.fragment == nil
        else { return nil }
        let discovery = ResourceDiscovery(transport: context.edges.transport, time: context.edges.time)
        // An issuer's own page may be anything at all; what matters of an issuer is its metadata.
        guard let challenge = (try? await discovery.challenge(at: url)) ?? nil else { return nil }
        return ResourceOnboarding.Target(url: url, challenge: challenge)
    }

    private var address: String { provider.contains("://") ? provider : "https://" + provider }

    private func parsedIssuer() throws(AuthFailure) -> Issuer {
        var text = address
        for suffix in ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"] where text.hasSuffix(suffix) {
            text.removeLast(suffix.count)
        }
        if let issuer = Issuer(text) { return issuer }
        throw AuthFailure(
            .usage, "'\(provider)' is no issuer",
            hint: "write it as the provider does: an https URL; http is taken for a loopback literal only")
    }

    private func add(_ issuer: Issuer?, kind: ProviderKind, preset: ProviderPreset?, in context: CommandContext) async throws {
        let name = try settledName(issuer, preset)
        let file = try context.configurationFile()
        guard try file.read().provider(name) == nil else {
            throw AuthFailure(.configuration, "there is a provider named '\(name)' already", hint: "choose another name with --name")
        }
        // A missing client is told before anybody is asked, unless the provider could give one.
        var metadata: ProviderMetadata?
        if let issuer, !noCheck {
            let finding = try await Discovery(transport: context.edges.transport, time: context.edges.time).find(issuer, kind: kind)
            metadata = finding.metadata
            tell(finding.metadata, in: context)
        }
        let redirects = redirects.isEmpty ? preset?.redirects ?? [] : redirects
        let scopes = settledScopes(kind, preset: preset, offered: metadata?.scopes)
        let source = ClientSource(options: client, redirects: redirects, scopes: scopes, context: context)
        let clientID = try await source.settle(metadata, host: issuer?.url.origin.authority ?? name.text)
        var entry = ProviderEntry(kind: kind, issuer: issuer, clientID: clientID, scopes: scopes, redirects: redirects)
        entry.clientSecretFile = client.clientSecretFile
        entry.apiHosts = preset?.apiHosts ?? []
        entry.extraParameters = preset?.extraParameters ?? []
        if case .endpoints(let endpoints) = preset?.address { entry.endpoints = endpoints }
        try file.add(name, entry.settings)
        try context.console.lines(["added: \(name)"])
        let rules = try file.read().provider(name)?.redirects ?? [.standard]
        if !client.register {
            context.console.note("register this redirect address there: \(rules.map(\.description).joined(separator: ", "))")
        }
        for hint in preset?.hints ?? [] { context.console.note("\(preset?.name ?? ""): \(hint)") }
        context.console.hint("sign in with: yett login \(name)")
    }

    /// Says what was found, on standard error.
    private func tell(_ metadata: ProviderMetadata, in context: CommandContext) {
        context.console.note("found: \(metadata.issuer?.text ?? "")")
        let capabilities = ProviderCapabilities(metadata: metadata).offered
        if !capabilities.isEmpty { context.console.note("  it offers \(capabilities.joined(separator: ", "))") }
    }

    private func settledName(_ issuer: Issuer?, _ preset: ProviderPreset?) throws(AuthFailure) -> ProviderName {
        if let name { return try ProviderName(argument: name) }
        if let preset, ProviderPreset.named(provider) != nil { return try ProviderName(argument: preset.name) }
        guard let issuer else { throw AuthFailure(.usage, "the provider needs a name", hint: "add --name NAME") }
        return try ProviderName(for: issuer.url.origin)
    }

    private func settledScopes(_ kind: ProviderKind, preset: ProviderPreset?, offered: [String]?) -> [String] {
        guard scopes.isEmpty else { return scopes }
        if let preset {
            return preset.scopes.filter { $0 == "openid" || offered?.contains($0) != false }
        }
        return kind == .oidc
            ? ["openid", "profile", "email", "offline_access"].filter { $0 == "openid" || offered?.contains($0) == true } : []
    }
}
