internal import ArgumentParser
internal import AuthModel
internal import SessionStore
internal import UserConfiguration

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

    @OptionGroup var options: GlobalOptionsHelp

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
        let isShared = configuration.providers.contains {
            $0.name != provider.name && $0.issuer == provider.issuer && $0.clientID == provider.clientID
        }
        if !isShared { await RegisteredClientRemoval(context: context).remove(provider) }
        try context.console.answer(ProviderChange(what: "removed", provider: provider.name), asJSON: json)
    }
}
