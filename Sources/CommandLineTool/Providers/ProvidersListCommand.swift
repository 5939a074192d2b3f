internal import ArgumentParser
internal import AuthModel

/// `yett providers list`: prints the configured providers. Does not use the network.
struct ProvidersListCommand: Subcommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the configured providers.")
    static let examples: KeyValuePairs = ["yett providers list": "Lists the providers."]

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var options: GlobalOptionsHelp

    func run(in context: CommandContext) async throws {
        let providers = try await context.service().providers()
        try context.console.answer(ProviderList(providers: providers), asJSON: json)
        if providers.isEmpty, !json {
            context.console.note("no provider is configured")
            context.console.hint("add one with: yett providers add ISSUER --client-id ID")
        }
    }
}

/// The configured providers, with their signed-in accounts.
private struct ProviderList: Answer {
    let providers: [ProviderSummary]

    var lines: [String] {
        guard !providers.isEmpty else { return [] }
        var table = Table("PROVIDER", "KIND", "ADDRESS", "ACCOUNTS")
        for provider in providers {
            table.add([provider.name.text, provider.kind.rawValue, provider.address, provider.accounts.joined(separator: ", ")])
        }
        return table.lines
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
                            ("accounts", JSONValue(provider.accounts)))
                    })
            ))
    }
}
