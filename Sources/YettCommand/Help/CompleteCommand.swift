internal import ArgumentParser
internal import AuthModel
internal import TerminalUI

/// `yett complete`: the words that a completion script offers, one a line.
///
/// It reads no network and asks nothing. Where something is wrong it offers nothing: a message would land in the line being typed.
struct CompleteCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "complete", abstract: "Print words for a completion script.", shouldDisplay: false)
    static let handlesInterruptions = false

    enum Words: String, ExpressibleByArgument, CaseIterable {
        case providers, sessions, themes, help
    }

    @Argument(help: "What is to be completed.")
    var words: Words

    @OptionGroup var options: GlobalOptionsHelp

    /// The command line for a completion script.
    static func line(_ words: Words) -> String { "yett complete \(words.rawValue) 2>/dev/null" }

    func run(in context: CommandContext) async throws {
        try context.console.lines(await list(in: context))
    }

    private func list(in context: CommandContext) async -> [String] {
        switch words {
        case .providers:
            return (try? context.configurationFile().read().providers.map(\.name.description)) ?? []
        case .sessions:
            let sessions = (try? await context.keeper().sessions().map(\.name)) ?? []
            // A provider with one session is name enough.
            let providers = Set(sessions.map(\.provider.description))
            return (sessions.map(\.description) + providers).sorted()
        case .themes: return context.themeLibrary().themes.map(\.name)
        case .help:
            return (CommandPages().pages + HelpTopics.all).map(\.name).filter { !$0.contains(" ") && $0 != "yett" }
        }
    }
}
