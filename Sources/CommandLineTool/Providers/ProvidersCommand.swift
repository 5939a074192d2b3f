internal import ArgumentParser
internal import AuthEngine
internal import AuthModel
internal import Localization
internal import OAuth
internal import ProviderKinds
internal import SessionStore
internal import TerminalUI
internal import UserConfiguration

/// `yett providers`: manages the configured providers.
struct ProvidersCommand: DocumentedCommand {
    static let configuration = CommandConfiguration(
        commandName: "providers", abstract: "List, show, add, remove and check the services to sign in to.",
        subcommands: [
            ProvidersListCommand.self, ProvidersShowCommand.self, ProvidersAddCommand.self, ProvidersPresetsCommand.self,
            ProvidersRemoveCommand.self,
            ProvidersDetailsCommand.self, ProvidersRedirectCommand.self, ProvidersCheckCommand.self,
            ProvidersClientDocumentCommand.self,
        ], defaultSubcommand: ProvidersListCommand.self)
    static let examples: KeyValuePairs = [
        "yett providers add https://id.example.org --name work --client-id YOUR_CLIENT": "Adds a provider.",
        "yett providers check": "Checks all providers.",
    ]
}

extension Configuration {
    /// Returns the provider that a command-line argument names. Throws `.usage` if the argument is not a valid name, and `.configuration`,
    /// with the most similar name, if there is no such provider.
    func named(_ text: String) throws(AuthFailure) -> ProviderConfiguration {
        let name = try ProviderName(argument: text)
        if let provider = provider(name) { return provider }
        let near = providers.map(\.name.text).nearest(to: text)
        // A list without providers would not help.
        let other =
            providers.isEmpty
            ? "add it with: yett providers add ISSUER --name \(ShellWord(name)) --client-id ID" : "see: yett providers list"
        throw AuthFailure(
            .configuration, text: "unknown provider '\(name)'", hint: near.map { "did you mean '\($0)'?" } ?? other)
    }
}

/// `yett providers list`: prints the configured providers. Does not use the network.
struct ProvidersListCommand: Subcommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the configured providers.")
    static let examples: KeyValuePairs = ["yett providers list": "Lists the providers."]

    @Flag(help: "Print JSON.")
    var json = false

    func run(in context: CommandContext) async throws {
        let providers = try await context.service().providers()
        let loaded = try? context.configurationFile().load()
        try context.answer(ProviderList(providers: providers, loaded: loaded), asJSON: json)
        if providers.isEmpty, !json {
            context.console.note("no provider is configured", hint: ProvidersAddCommand.hint)
        }
    }
}

/// The configured providers, with their signed-in accounts.
private struct ProviderList: TableAnswer {
    let providers: [ProviderSummary]
    /// The configuration with the origin of its content; `nil` if it cannot be read, and only the agent knows the providers.
    let loaded: LoadedConfiguration?

    var table: TextTable {
        // Most machines have no system files; then all providers come from the user's file.
        let showsOrigin = loaded.map { !$0.systemFiles.isEmpty } ?? false
        var table = TextTable("PROVIDER", "KIND", "ADDRESS", "ACCOUNTS", showsOrigin ? "FROM" : "")
        table.dispensable = [4, 1]
        for provider in providers {
            let origin = showsOrigin ? origin(of: provider.name) : ""
            table.add([
                StyledText(provider.name.text, .title), StyledText(provider.kind.rawValue, .muted), .address(provider.address),
                StyledText(provider.accounts.joined(separator: ", ")), StyledText(origin, .muted),
            ])
        }
        return table
    }

    private func files(of provider: ProviderName) -> [String] { loaded?.files(of: provider) ?? [] }

    private func origin(of provider: ProviderName) -> String {
        files(of: provider).map { loaded?.systemFiles.contains($0) == true ? $0 : "your configuration" }.joined(separator: ", ")
    }

    var json: JSONValue {
        .answer(list: "providers", of: providers) { provider in
            .members(
                ("name", .string(provider.name.text)), ("kind", .string(provider.kind.rawValue)),
                ("address", .string(provider.address)), ("scopes", JSONValue(provider.scopes.values)),
                ("accounts", JSONValue(provider.accounts)), ("files", JSONValue(files(of: provider.name))))
        }
    }
}

/// `yett providers redirect`: prints the redirect addresses to register at the provider.
struct ProvidersRedirectCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "redirect", abstract: "Print the callback addresses to register at a provider, one per line.",
        discussion: "An address without a port stands for any loopback port (RFC 8252 section 7.3).")
    static let examples: KeyValuePairs = ["yett providers redirect work": "Prints what to register at the provider."]

    @OptionGroup var arguments: ProviderArguments

    func run(in context: CommandContext) async throws {
        let provider = try context.configurationFile().read().named(arguments.name)
        if let note = provider.kind.definition.redirectNote(of: provider) { context.console.note(note) }
        try context.console.answer(RedirectList(provider: provider), asJSON: arguments.json)
    }
}

/// The redirect addresses of a provider, in order of preference.
private struct RedirectList: Answer {
    let provider: ProviderConfiguration

    var lines: [String] { provider.redirects.map(\.description) }

    var json: JSONValue { .answer(("provider", .string(provider.name.text)), ("redirects", JSONValue(lines))) }
}

/// `yett providers remove`: removes a provider from the configuration.
struct ProvidersRemoveCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a provider from the configuration.",
        discussion: "Refuses while you are signed in there: without the settings, Yett could not revoke the tokens.")
    static let examples: KeyValuePairs = ["yett providers remove work": "Removes a provider that has no sessions."]

    @Argument(help: "The provider's name.", completion: .names(.providers))
    var name: String

    @Flag(help: "Remove it even if you are signed in there. Its sessions stay, and can only be forgotten.")
    var force = false

    @Flag(help: "Print JSON.")
    var json = false

    func run(in context: CommandContext) async throws {
        let file = try context.configurationFile()
        let configuration = try file.read()
        let provider = try configuration.named(name)
        if !force {
            let sessions = try await context.service().sessions().filter { $0.name.provider == provider.name }
            guard sessions.isEmpty else {
                throw AuthFailure(
                    .alreadySignedIn,
                    text: "still signed in at \(provider.name): \(sessions.map(\.name.description).joined(separator: ", "))",
                    hint: "sign out first with: yett logout, or add --force")
            }
        }
        try file.remove(provider.name)
        await RegisteredClientRemoval(context: context).remove(provider)
        try context.answer(ProviderChange(what: "removed", provider: provider.name), asJSON: json)
    }
}

/// Deletes the registration of a client that Yett registered, at the provider.
struct RegisteredClientRemoval {
    let context: CommandContext

    /// Deletes the registration of a provider that is no longer configured, unless another provider uses the client too. Prints a warning
    /// if that fails.
    func remove(_ provider: ProviderConfiguration) async {
        guard let issuer = provider.issuer, let directory = try? context.directories.data,
            FileStatus.exists("\(directory)/\(SessionStore.fileName)"), let all = try? context.configurationFile().read().providers,
            !all.contains(where: { $0.issuer == issuer && $0.clientID == provider.clientID })
        else { return }
        do throws(AuthFailure) {
            let service = try await context.unlockedService()
            if try await service.unregister(provider.clientID, at: issuer, caFile: provider.caFile) {
                context.console.note("its client is no longer registered at \(issuer.url.origin.authority)")
            }
        } catch {
            context.console.warning("could not delete the client at \(issuer.url.origin.authority): \(error.summary)")
        }
    }
}

/// The arguments of a command that prints something about one provider.
struct ProviderArguments: ParsableArguments {
    @Argument(help: "The provider's name.", completion: .names(.providers))
    var name: String

    @Flag(help: "Print JSON.")
    var json = false

}

/// The output after a provider was added to or removed from the configuration.
struct ProviderChange: Answer {
    /// `added` or `removed`.
    let what: String
    let provider: ProviderName

    var lines: [String] { ["\(what): \(provider)"] }
    func rows(on display: Display) -> [StyledText] { [display.good + StyledText(" \(what): ") + StyledText(provider.text, .title)] }
    var json: JSONValue { .answer((what, .string(provider.text))) }
}

/// `yett providers client-document`: prints the client metadata document to host (draft-ietf-oauth-client-id-metadata-document).
struct ProvidersClientDocumentCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "client-document", abstract: "Print the client metadata document to host on your own page.",
        discussion: """
            Some providers accept the URL of such a document as the client_id, so that no client is registered. Publish the output at the \
            URL as application/json, and set client_document to the URL in your configuration, or in the administrator's for all users. Yett \
            then uses it wherever a provider accepts it and names itself in its responses (RFC 9207).
            """)
    static let examples: KeyValuePairs = [
        "yett providers client-document https://example.org/yett.json": "Prints the document to publish at this URL."
    ]

    @Argument(help: "The URL of the document. Default: client_document in the configuration.")
    var url: String?

    func run(in context: CommandContext) async throws {
        guard let text = try url ?? context.configurationFile().read().clientDocument?.text else {
            throw AuthFailure(
                .usage, text: "no URL is given, and client_document is not configured",
                hint: "give the URL where you will publish the document: yett providers client-document https://example.org/yett.json")
        }
        guard let address = ClientIDDocument.url(text) else {
            throw AuthFailure(
                .usage, text: "'\(text)' is not a valid client metadata URL", hint: "use an https URL with a path and without a query")
        }
        try context.console.lines([ProviderPlan.clientDocument(at: address).text])
    }
}
