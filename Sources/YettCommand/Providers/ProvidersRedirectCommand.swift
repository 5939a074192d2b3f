internal import ArgumentParser
internal import AuthModel

/// `yett providers redirect`: the redirect addresses to register at the provider.
struct ProvidersRedirectCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "redirect", abstract: "Print the redirect addresses to register at a provider, one a line.",
        discussion: "An address without a port stands for every port on loopback (RFC 8252 section 7.3).")

    @Argument(help: "The provider's name.", completion: .shellCommand(CompleteCommand.line(.providers)))
    var name: String

    @OptionGroup var options: GlobalOptionsHelp

    func run(in context: CommandContext) async throws {
        let provider = try context.configurationFile().read().named(name)
        try context.console.lines(provider.redirects.map(\.description))
    }
}
