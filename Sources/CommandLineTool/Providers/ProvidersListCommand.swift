internal import ArgumentParser
internal import AuthModel
internal import UserConfiguration

/// `yett providers list`: prints the configured providers. Does not use the network.
struct ProvidersListCommand: Subcommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the configured providers.")
    static let examples: KeyValuePairs = ["yett providers list": "Lists the providers."]

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var options: GlobalOptionsHelp

    func run(in context: CommandContext) async throws {
        let providers = try await context.service().providers()
        let loaded = try? context.configurationFile().load()
        try context.console.answer(ProviderList(providers: providers, loaded: loaded), asJSON: json)
        if providers.isEmpty, !json {
            context.console.note("no provider is configured")
            context.console.hint("add one with: yett providers add ISSUER --client-id ID")
        }
    }
}

/// The configured providers, with their signed-in accounts.
private struct ProviderList: Answer {
    let providers: [ProviderSummary]
    /// The configuration with the origin of its content; `nil` if it cannot be read, and only the agent knows the providers.
    let loaded: LoadedConfiguration?

    var lines: [String] {
        guard !providers.isEmpty else { return [] }
        // Most machines have no system files; then all providers come from the user's file.
        let showsOrigin = loaded.map { !$0.systemFiles.isEmpty } ?? false
        var table = Table("PROVIDER", "KIND", "ADDRESS", "ACCOUNTS", showsOrigin ? "FROM" : "")
        for provider in providers {
            let accounts = provider.accounts.joined(separator: ", ")
            let origin = showsOrigin ? origin(of: provider.name) : ""
            table.add([provider.name.text, provider.kind.rawValue, provider.address, accounts, origin])
        }
        return table.lines
    }

    private func files(of provider: ProviderName) -> [String] { loaded?.files(of: provider) ?? [] }

    private func origin(of provider: ProviderName) -> String {
        files(of: provider).map { loaded?.systemFiles.contains($0) == true ? $0 : "your configuration" }.joined(separator: ", ")
    }

    var json: JSONValue {
        .answer(
            (
                "providers",
                .array(
                    providers.map { provider in
                        .members(
                            ("name", .string(provider.name.text)), ("kind", .string(provider.kind.rawValue)),
                            ("address", .string(provider.address)), ("scopes", JSONValue(provider.scopes.values)),
                            ("accounts", JSONValue(provider.accounts)), ("files", JSONValue(files(of: provider.name))))
                    })
            ))
    }
}
