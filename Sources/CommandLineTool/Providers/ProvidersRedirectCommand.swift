internal import ArgumentParser
internal import AuthEngine
internal import AuthModel
internal import ProviderKinds
internal import UserConfiguration

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
