internal import ArgumentParser
internal import CommandLineHelp

/// `yett completions`: prints the completion script for a shell.
struct CompletionsCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "completions", abstract: "Print the completion script of a shell.",
        discussion: """
            bash: yett completions bash > ~/.local/share/bash-completion/completions/yett

            zsh: yett completions zsh > FOLDER/_yett, in a folder of your fpath

            fish: yett completions fish > ~/.config/fish/completions/yett.fish

            Completes the names of your providers, sessions and themes too.
            """)
    static let examples: KeyValuePairs = [
        "yett completions bash > ~/.local/share/bash-completion/completions/yett": "Installs the completions for bash.",
        "yett completions fish > ~/.config/fish/completions/yett.fish": "Installs the completions for fish.",
    ]
    static let handlesInterruptions = false

    enum Shell: String, ExpressibleByArgument, CaseIterable {
        case bash, zsh, fish
    }

    @Argument(help: "bash, zsh or fish.")
    var shell: Shell

    @OptionGroup var options: GlobalOptionsHelp

    func run(in context: CommandContext) async throws {
        let script =
            switch shell {
            case .bash: CompletionScripts.bash
            case .zsh: CompletionScripts.zsh
            case .fish: CompletionScripts.fish
            }
        try context.console.page(script)
    }
}
