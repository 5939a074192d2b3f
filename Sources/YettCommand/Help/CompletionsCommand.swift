internal import ArgumentParser

/// `yett completions`: what a shell needs to complete yett's words.
struct CompletionsCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "completions", abstract: "Print a shell's completion script.",
        discussion: """
            bash: yett completions bash > ~/.local/share/bash-completion/completions/yett

            zsh: yett completions zsh > a file _yett in a folder of your fpath

            fish: yett completions fish > ~/.config/fish/completions/yett.fish

            Providers, sessions and themes are completed with those you have.
            """)
    static let handlesInterruptions = false

    enum Shell: String, ExpressibleByArgument, CaseIterable {
        case bash, zsh, fish

        var value: CompletionShell {
            switch self {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        }
    }

    @Argument(help: "bash, zsh or fish.")
    var shell: Shell

    @OptionGroup var options: GlobalOptionsHelp

    func run(in context: CommandContext) async throws {
        try context.console.page(Self.script(for: shell))
    }

    /// The parser's script without its account of its own `help`, which stands behind ours under the same name and would win.
    private static func script(for shell: Shell) -> String {
        var script = RootCommand.completionScript(for: shell.value)
        let definitions = script.ranges(of: "\n_yett_help() {\n")
        if definitions.count == 2, let end = script[definitions[1].upperBound...].firstRange(of: "\n}\n") {
            script.removeSubrange(definitions[1].lowerBound..<end.upperBound)
        }
        return script
    }
}
