internal import ArgumentParser
internal import AuthModel
internal import TerminalUI
internal import UserConfiguration

/// `yett login`: signs the user in through their own browser.
struct LoginCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "login", abstract: "Sign in to a provider in your browser.",
        discussion: """
            Without a provider, yett uses the only configured one, or asks you. Signing in again replaces the session of the same \
            account; another account gets its own session. If the account in --account is already signed in, nothing happens (exit \
            status 10), unless other options change the sign-in. The URL of a protected resource, such as an MCP server, stands for \
            the provider of its tokens, and the URL of a well-known service (yett providers presets) for that service; a provider that \
            is not yet configured is added first.
            """)
    static let examples: KeyValuePairs = [
        "yett login work": "Signs in to the configured provider work.",
        "yett login work --account grace": "Signs in a second account.",
        "yett login work --flow device": "Signs in with a code, from a browser on any device.",
    ]

    @Argument(
        help: "The provider's name in the configuration, PROVIDER/ACCOUNT, or the URL of a protected resource.",
        completion: .names(.providers))
    var provider: String?

    @Option(
        name: .customLong("redirect"),
        help: ArgumentHelp(
            "A callback address to register with --register, instead of one on a free port; may be repeated.", valueName: "url"))
    var redirects: [String] = []

    /// Whether another command started this one and waits for it.
    @Flag(help: .hidden)
    var untilParentEnds = false

    @OptionGroup var login: LoginOptions
    @OptionGroup var client: ClientOptions
    @OptionGroup var trust: TrustOptions

    func validate() throws {
        if let bad = redirects.first(where: { RedirectRule($0)?.redirectsToThisMachine != true }) {
            throw ValidationError("'\(bad)' is not a loopback address; write it as http://127.0.0.1:8400/callback")
        }
    }

    func run(in context: CommandContext) async throws {
        if untilParentEnds { ParentWatch.start() }
        let target = try await ResourceOnboarding.target(
            provider, client: client, trust: trust, scopes: login.scopeList.values, redirects: redirects, port: login.port, in: context)
        // The mark that it is used lasts to the end.
        defer { withExtendedLifetime(target) {} }
        do {
            var run = SignInRun(options: login, purpose: .signIn, context: context)
            run.isForResource = target.isResource
            // The provider was added for these scopes, and for those of the user's identity.
            if target.isNew { run.options.scopes = [] }
            // The sessions of the server that the resource has left are no sign-ins here.
            if target.isMoved { run.options.force = true }
            run.registersAgain = client.register && !target.isResource
            try await run.run(target.argument)
        } catch {
            // This task may be cancelled, so the clean-up runs in a task of its own.
            guard target.change != nil, let provider else { throw error }
            await Task { await ResourceOnboarding.undo(target, in: context) }.value
            throw target.isNew ? ResourceOnboarding.failure(error, at: provider) : error
        }
        if case .moved(let move) = target.change { await move.finish(in: context) }
    }
}

/// `yett signup`: creates an account at a provider, and signs in with it.
struct SignupCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "signup", abstract: "Create an account at a provider, and sign in with it.",
        discussion: "Opens the provider's own page for new accounts. Yett never sees what you type there.")
    static let examples: KeyValuePairs = [
        "yett signup work": "Creates an account in your browser, and signs in with it.",
        "yett signup work --email ada@example.org": "Passes on your e-mail address, if the provider asks for it.",
    ]

    @Argument(help: "The provider's name in the configuration.", completion: .names(.providers))
    var provider: String?

    @OptionGroup var login: LoginOptions

    func run(in context: CommandContext) async throws {
        try await SignInRun(options: login, purpose: .signUp, context: context).run(provider)
    }
}

/// `yett recover`: starts the recovery of an account whose authenticator is lost.
struct RecoverCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "recover", abstract: "Recover an account if you lost its authenticator.",
        discussion: "The provider sends a link to your e-mail address. Nothing changes here.")
    static let examples: KeyValuePairs = ["yett recover work": "Recovers your account, and signs in with it."]

    @Argument(help: "The provider's name in the configuration.", completion: .names(.providers))
    var provider: String?

    @OptionGroup var login: LoginOptions

    func run(in context: CommandContext) async throws {
        try await SignInRun(options: login, purpose: .recover, context: context).run(provider)
    }
}

/// Selects the provider: the named one, the only one, or the one that the user chooses.
struct ProviderChoice {
    let configuration: Configuration
    let context: CommandContext

    func resolve(_ name: ProviderName?) async throws(AuthFailure) -> ProviderConfiguration {
        let providers = configuration.providers
        if let name {
            if let provider = configuration.provider(name) { return provider }
            let near = providers.map(\.name.text).nearest(to: name.text)
            throw AuthFailure(
                .configuration, text: "unknown provider '\(name)'",
                hint: preset(name).map { "add this well-known service with: \($0)" }
                    ?? near.map { "did you mean '\($0)'? see: yett providers list" }
                    ?? "add it with: yett providers add ISSUER --name \(ShellWord(name)) --client-id ID")
        }
        guard let first = providers.first else {
            throw AuthFailure(
                .configuration, text: "no provider is configured",
                hint: ProvidersAddCommand.hintOrDemo)
        }
        if providers.count == 1 { return first }
        guard context.canAsk else {
            throw AuthFailure(.usage, text: "which provider?", hint: "choose one: " + providers.map(\.name.text).joined(separator: ", "))
        }
        return try await ask(providers)
    }

    /// Returns the command that adds the well-known service with this name; `nil` if there is none.
    private func preset(_ name: ProviderName) -> String? {
        guard let preset = try? context.configurationFile().presets().named(name.text) else { return nil }
        return context.canAsk
            ? "yett providers add \(ShellWord(preset.name))" : PresetNeeds(preset, ProviderPlanner.ProviderInput(preset.name)).command
    }

    /// Shows a numbered prompt; accepts a number or a name.
    private func ask(_ providers: [ProviderConfiguration]) async throws(AuthFailure) -> ProviderConfiguration {
        await list(providers)
        while true {
            context.console.ask("Which provider? [1-\(providers.count)]")
            guard let line = await context.edges.streams.line() else { throw AuthFailure(.cancelled, text: "no provider was chosen") }
            let text = line.trimmed
            if let number = Int(text), providers.indices.contains(number - 1) { return providers[number - 1] }
            if let provider = providers.first(where: { $0.name.text == text }) { return provider }
            context.console.note("Enter a number from 1 to \(providers.count), or a name.")
        }
    }

    /// Prints the providers with their numbers, who is signed in there, and where that is.
    private func list(_ providers: [ProviderConfiguration]) async {
        // Without the sessions, the choice is still possible.
        let known = await summaries()
        var table = TextTable("", "", "", "")
        (table.showsHeader, table.numbers) = (false, [0])
        for (index, provider) in providers.enumerated() {
            let summary = known.first { $0.name == provider.name }
            let accounts = summary?.accounts ?? []
            let who = accounts.isEmpty ? "not signed in" : "as " + accounts.joined(separator: ", ")
            table.add([
                StyledText("  \(index + 1)"), StyledText(provider.name.text, .title),
                StyledText(summary == nil ? "" : who, accounts.isEmpty ? .muted : .text),
                StyledText(Self.place(summary?.address ?? provider.issuer?.text ?? ""), .muted),
            ])
        }
        guard let display = context.diagnosticsDisplay else {
            // The titles are empty.
            for line in table.lines.dropFirst() { context.console.note(line) }
            return
        }
        for row in table.rows(on: display) { context.console.note(row, on: display) }
    }

    /// Returns the providers as a list shows them; none if the sessions cannot be read.
    private func summaries() async -> [ProviderSummary] {
        guard let service = try? await context.service(reports: false) else { return [] }
        return (try? await service.providers()) ?? []
    }

    /// Returns an address without its scheme, which says nothing about a provider.
    private static func place(_ address: String) -> String {
        for scheme in ["https://", "http://"] where address.hasPrefix(scheme) { return String(address.dropFirst(scheme.count)) }
        return address
    }
}
