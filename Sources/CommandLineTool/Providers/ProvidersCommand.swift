internal import ArgumentParser
internal import AuthModel

/// `yett providers`: the services to sign in to.
struct ProvidersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "providers", abstract: "List, show, add, remove and check the services to sign in to.",
        subcommands: [
            ProvidersListCommand.self, ProvidersShowCommand.self, ProvidersAddCommand.self, ProvidersRemoveCommand.self,
            ProvidersDetailsCommand.self, ProvidersRedirectCommand.self, ProvidersCheckCommand.self,
        ], defaultSubcommand: ProvidersListCommand.self)
}

extension Configuration {
    /// The provider that is named on the command line. Throws `.usage` for no name, `.configuration` with the nearest one.
    func named(_ text: String) throws(AuthFailure) -> ProviderConfiguration {
        let name = try ProviderName(argument: text)
        if let provider = provider(name) { return provider }
        let near = providers.map(\.name.text).nearest(to: text)
        throw AuthFailure(
            .configuration, "there is no provider named '\(name)'", hint: near.map { "did you mean '\($0)'?" } ?? "see: yett providers list"
        )
    }
}
