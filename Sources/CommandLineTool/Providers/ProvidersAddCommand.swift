internal import ArgumentParser
internal import AuthEngine
internal import AuthModel
internal import Localization
internal import OAuth
internal import ProviderKinds
internal import UserConfiguration

/// `yett providers add`: discovers a provider and writes it into the configuration.
struct ProvidersAddCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a provider to the configuration, and check it first.",
        discussion: """
            Give a well-known service by name; yett providers presets lists them, and says what each needs. At a terminal, Yett asks for \
            what is missing, after it has explained how to register a client. Give any other provider by its issuer, or by the URL of a \
            protected resource, such as an MCP server, which names its authorization server. The rest of the file is unchanged, including \
            comments.
            """)
    static let examples: KeyValuePairs = [
        "yett providers add github": "Adds a well-known service, and asks for what it needs.",
        "yett providers add google --client-id YOUR_CLIENT --client-secret-file secret.txt": "Adds a well-known service.",
        "yett providers add https://id.example.org --name work --client-id YOUR_CLIENT":
            "Adds an OpenID provider by its issuer.",
        "yett providers add https://id.example.org --register": "Registers a client, and adds the provider.",
    ]

    /// The hint where no provider is configured.
    static let hint = "begin with: yett providers add URL"
    /// The hint for a user who may not know yett yet.
    static let hintOrDemo = hint + ", or try everything with: yett demo"

    @Argument(
        help: "A well-known service, an issuer, the URL of its metadata, or the URL of a protected resource.",
        completion: .names(.presets))
    var provider: String

    @Option(help: ArgumentHelp("The provider's name here. Default: derived from its host.", valueName: "name"))
    var name: String?

    @Option(help: ArgumentHelp("Your domain, tenant or host at a well-known service.", valueName: "place"))
    var at: String?

    @Option(
        help: ArgumentHelp(
            "The mode of a well-known service that has several. Default: ask at a terminal.", valueName: "mode"))
    var mode: String?

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "Also set this provider key, such as sign_in=on-demand or extra_params.audience=URL; may be repeated.", valueName: "key=value"))
    var settings: [String] = []

    @Option(help: ArgumentHelp("oidc or oauth2.", valueName: "kind"))
    var kind: String?

    @Option(name: .customLong("scope"), help: ArgumentHelp("A scope to request; may be repeated.", valueName: "scope"))
    var scopes: [String] = []

    @Option(name: .customLong("redirect"), help: ArgumentHelp("A registered callback address; may be repeated.", valueName: "url"))
    var redirects: [String] = []

    @Option(
        help: ArgumentHelp("Your own https page as the callback; paste its address when you sign in.", valueName: "url"))
    var pasteRedirect: String?

    @Option(
        name: .customLong("post-logout-redirect"),
        help: ArgumentHelp(
            "The return address after logout --browser; also registered by --register. May be repeated.", valueName: "url"))
    var postLogoutRedirects: [String] = []

    @Flag(help: "Write the configuration without checking the provider.")
    var noCheck = false

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var client: ClientOptions
    @OptionGroup var trust: TrustOptions

    func validate() throws {
        if noCheck, client.register { throw ValidationError("--register and --no-check cannot be combined") }
        if let pasteRedirect {
            guard redirects.isEmpty else { throw ValidationError("--redirect and --paste-redirect cannot be combined") }
            guard RedirectRule(page: pasteRedirect) != nil else {
                throw ValidationError("'\(pasteRedirect)' is not an https page; write it as https://www.example.org/callback")
            }
        }
        if let bad = postLogoutRedirects.first(where: { RedirectRule($0)?.redirectsToThisMachine != true }) {
            throw ValidationError("'\(bad)' is not a loopback address; write it as http://127.0.0.1/callback")
        }
    }

    func run(in context: CommandContext) async throws {
        let planner = try ProviderPlanner(context)
        let input = try await PresetPrompt(context: context).completed(try input(in: context), by: planner)
        switch try await planner.plan(input) {
        case .plan(let plan):
            try await ProviderAddition(client: client, context: context).add(plan) { name in
                try context.answer(ProviderChange(what: "added", provider: name), asJSON: json)
            }
        case .resource(let finding):
            let onboarding = ResourceOnboarding(
                name: name, client: client, trust: trust, scopes: scopes, redirects: redirects, context: context)
            let added = try await onboarding.add(finding).name
            try context.answer(ProviderChange(what: "added", provider: added), asJSON: json)
            context.console.hint("sign in with: yett login \(added)")
        }
    }

    private func input(in context: CommandContext) throws(AuthFailure) -> ProviderPlanner.ProviderInput {
        var input = ProviderPlanner.ProviderInput(provider)
        input.place = at
        input.name = name
        input.kind = try parsedKind()
        input.mode = mode
        input.settings = try SettingArgument.members(settings)
        input.scopes = scopes
        input.redirects = redirects
        input.pasteRedirect = pasteRedirect
        input.postLogoutRedirects = postLogoutRedirects
        input.isChecked = !noCheck
        input.hasClient = context.canAsk || client.namesClient
        input.hasSecret = context.canAsk || client.clientSecretFile != nil || client.register
        return input
    }

    private func parsedKind() throws(AuthFailure) -> ProviderKind? {
        guard let kind else { return nil }
        let known: [ProviderKind] = [.oidc, .oauth2]
        if let known = known.first(where: { $0.rawValue == kind }) { return known }
        throw AuthFailure(
            .usage, text: "cannot add kind '\(kind)'", hint: "supported kinds: \(known.map(\.rawValue).joined(separator: ", "))")
    }
}

/// Writes a planned provider into the configuration: tells what was found, explains how to register a client, and asks for it.
struct ProviderAddition {
    let client: ClientOptions
    let context: CommandContext

    /// Adds the provider; `report` prints the result.
    func add(_ planned: ProviderPlan, report: (ProviderName) throws -> Void) async throws {
        var plan = planned
        if let metadata = plan.metadata { describe(metadata) }
        if let finding = plan.finding { context.console.note("found: \(finding.english)") }
        let source = ClientSource(options: client, context: context)
        let explains = source.asks(for: plan)
        if explains { explainRegistration(of: plan) }
        let clientID = try await source.complete(&plan)
        let secretFile = try await source.secretFile(for: plan)
        try context.configurationFile().add(plan.name, plan.settings(clientID: clientID, clientSecretFile: secretFile))
        try report(plan.name)
        if !explains, !plan.registersClient, !plan.registered.isEmpty {
            context.console.note("register this callback address there: \(plan.registered.joined(separator: ", "))")
        }
        if !plan.registersClient, !plan.postLogoutRedirects.isEmpty {
            context.console.note("and for the return after signing out: \(plan.postLogoutRedirects.joined(separator: ", "))")
        }
        for hint in plan.preset?.hints ?? [] { context.console.note(hint) }
        context.console.hint("sign in with: yett login \(plan.name)")
    }

    /// Prints what discovery found.
    private func describe(_ metadata: ProviderMetadata) {
        context.console.note("found: \(metadata.issuer?.text ?? "")")
        let capabilities = ProviderCapabilities(metadata: metadata).offered
        if !capabilities.isEmpty { context.console.note("  it supports \(capabilities.map(\.english).joined(separator: ", "))") }
    }

    /// Prints how to register a client, with the redirect addresses to enter.
    private func explainRegistration(of plan: ProviderPlan) {
        let preset = plan.preset
        let page = preset?.page(at: plan.place)
        context.console.note("Register a client at \(page ?? preset?.title ?? plan.host):")
        let steps = preset?.steps(at: plan.place, redirects: plan.registered) ?? []
        for (index, step) in steps.enumerated() { context.console.note("  \(index + 1). \(step)") }
        // An address that no step names would be forgotten.
        for address in plan.registered where !steps.contains(where: { $0.contains(address) }) {
            context.console.note("  callback address: \(address)")
        }
    }
}

/// The discovery of providers and resources with the engine's transport.
struct NetworkDiscovery: ProviderDiscovery {
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

    func resource(at url: WebURL) async throws(AuthFailure) -> DiscoveredResource? {
        try await ResourceDiscovery(transport: transport, time: time).resource(orIssuerAt: url)
    }

    func finding(of provider: ProviderConfiguration) async throws(AuthFailure) -> UserMessage? {
        let environment = EngineEnvironment(
            makeAdapter: EngineEnvironment.allKinds, transport: transport, time: time, cacheDirectory: nil)
        return try await environment.makeAdapter(provider, environment).check()
    }
}

extension NetworkDiscovery {
    init(_ context: CommandContext) { self.init(transport: context.edges.transport, time: context.edges.time) }

    /// Returns the issuer that the metadata of an authorization server name: itself, or another one. `nil` if they cannot be read.
    func issuer(namedBy server: Issuer) async -> Issuer? {
        do throws(AuthFailure) {
            let name = try ProviderName(for: server.url.origin)
            return try await metadata(of: ProviderConfiguration(name: name, kind: .oauth2, issuer: server, clientID: "")).issuer
        } catch {
            return error.namedIssuer.flatMap(Issuer.init)
        }
    }
}

extension ProviderPlanner {
    init(_ context: CommandContext) throws(AuthFailure) {
        try self.init(discovery: NetworkDiscovery(context), file: try context.configurationFile())
    }
}
