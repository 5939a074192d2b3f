internal import ArgumentParser
internal import AuthModel
internal import UserConfiguration

/// `yett providers`: manages the configured providers.
struct ProvidersCommand: DocumentedCommand {
    static let configuration = CommandConfiguration(
        commandName: "providers", abstract: "List, show, add, remove and check the services to sign in to.",
        subcommands: [
            ProvidersListCommand.self, ProvidersShowCommand.self, ProvidersAddCommand.self, ProvidersPresetsCommand.self,
            ProvidersRemoveCommand.self,
            ProvidersDetailsCommand.self, ProvidersRedirectCommand.self, ProvidersCheckCommand.self,
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
