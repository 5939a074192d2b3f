internal import ArgumentParser
internal import AuthModel
internal import Localization
internal import OAuth
internal import UserConfiguration

/// `yett providers add`: discovers a provider and writes it into the configuration.
struct ProvidersAddCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a provider to the configuration, and check it first.",
        discussion: """
            Give a well-known provider by name: \(ProviderPreset.all.map(\.name).joined(separator: ", ")). \
            Give any other by its issuer, or by the URL of a protected resource, such as an MCP server, which names its authorization \
            server. The rest of the file is unchanged, including comments.
            """)
    static let examples: KeyValuePairs = [
        "yett providers add google --client-id YOUR_CLIENT --client-secret-file secret.txt": "Adds a well-known provider.",
        "yett providers add https://id.example.org --name work --client-id YOUR_CLIENT":
            "Adds an OpenID provider by its issuer.",
        "yett providers add https://id.example.org --register": "Registers a client, and adds the provider.",
    ]

    @Argument(help: "A well-known provider, an issuer, the URL of its metadata, or the URL of a protected resource.")
    var provider: String

    @Option(help: ArgumentHelp("The provider's name here. Default: derived from its host.", valueName: "name"))
    var name: String?

    @Option(help: ArgumentHelp("Your domain, tenant or host at a well-known provider.", valueName: "place"))
    var at: String?

    @Option(
        help: ArgumentHelp(
            "The mode of a well-known provider that has several. Default: ask at a terminal.", valueName: "mode"))
    var mode: String?

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp("Also set this provider key; may be repeated.", valueName: "key=value"))
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
    @OptionGroup var options: GlobalOptionsHelp

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
        let input = ProviderPlanner.ProviderInput(
            provider: provider, place: at, name: name, kind: try parsedKind(), mode: mode, settings: try givenSettings(), scopes: scopes,
            redirects: redirects, pasteRedirect: pasteRedirect, postLogoutRedirects: postLogoutRedirects, isChecked: !noCheck)
        switch try await planner.plan(try await ModePrompt(context: context).completed(input)) {
        case .plan(let plan): try await add(plan, in: context)
        case .resource(let finding):
            let onboarding = ResourceOnboarding(
                name: name, client: client, trust: trust, scopes: scopes, redirects: redirects, context: context)
            let added = try await onboarding.add(finding)
            try context.console.answer(ProviderChange(what: "added", provider: added), asJSON: json)
            context.console.hint("sign in with: yett login \(added)")
        }
    }

    /// Parses the `--set` options. Accepts keys of provider kinds and few others; most of these have their own option or are written by hand.
    private func givenSettings() throws(AuthFailure) -> [ProviderPreset.Setting] {
        let known = Set(ProviderKind.allCases.flatMap(ConfigurationRules.standard.ownKeys)).union(["authorization_endpoint", "sign_in"])
        var given: [ProviderPreset.Setting] = []
        for text in settings {
            guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
                throw AuthFailure(.usage, text: "'\(text)' is not a setting", hint: "write it as --set key=value")
            }
            let key = String(text[..<equals])
            guard known.contains(key) else {
                throw AuthFailure(
                    .usage, text: "'\(key)' cannot be set with --set",
                    hint: known.nearest(to: key).map { "did you mean \($0)?" } ?? "set it in the configuration file")
            }
            guard !given.contains(where: { $0.key == key }) else { throw AuthFailure(.usage, text: "'\(key)' is set twice") }
            given.append((key, String(text[text.index(after: equals)...])))
        }
        return given
    }

    private func parsedKind() throws(AuthFailure) -> ProviderKind? {
        guard let kind else { return nil }
        let known: [ProviderKind] = [.oidc, .oauth2]
        if let known = known.first(where: { $0.rawValue == kind }) { return known }
        throw AuthFailure(
            .usage, text: "cannot add kind '\(kind)'", hint: "supported kinds: \(known.map(\.rawValue).joined(separator: ", "))")
    }

    private func add(_ planned: ProviderPlan, in context: CommandContext) async throws {
        var plan = planned
        if let metadata = plan.metadata { tell(metadata, in: context) }
        if let finding = plan.finding { context.console.note("found: \(finding.english)") }
        let clientID = try await ClientSource(options: client, context: context).settle(&plan)
        let file = try context.configurationFile()
        try file.add(plan.name, plan.entry(clientID: clientID, clientSecretFile: client.clientSecretFile).settings)
        try context.console.answer(ProviderChange(what: "added", provider: plan.name), asJSON: json)
        if !client.register, !plan.registered.isEmpty {
            context.console.note("register this callback address there: \(plan.registered.joined(separator: ", "))")
            if !plan.postLogoutRedirects.isEmpty {
                context.console.note("and for the return after signing out: \(plan.postLogoutRedirects.joined(separator: ", "))")
            }
        }
        for hint in plan.preset?.hints ?? [] { context.console.note("\(plan.preset?.name ?? ""): \(hint.english)") }
        context.console.hint("sign in with: yett login \(plan.name)")
    }

    /// Prints what discovery found, on standard error.
    private func tell(_ metadata: ProviderMetadata, in context: CommandContext) {
        context.console.note("found: \(metadata.issuer?.text ?? "")")
        let capabilities = ProviderCapabilities(metadata: metadata).offered
        if !capabilities.isEmpty { context.console.note("  it supports \(capabilities.map(\.english).joined(separator: ", "))") }
    }
}
