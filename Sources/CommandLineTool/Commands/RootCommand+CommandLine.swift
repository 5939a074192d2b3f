internal import ArgumentParser
internal import AuthModel

extension RootCommand {
    /// Parses a command line and returns its command.
    ///
    /// The command that it names is parsed alone: setting up all other commands takes two thirds of a program start. Errors and help
    /// requests go to the full parser, which reports them properly.
    static func parse(commandLine: [String]) throws -> any ParsableCommand {
        if commandLine.isEmpty { return RootCommand() }
        if let (leaf, rest) = leaf(of: commandLine), let command = try? leaf.parse(rest) { return command }
        // The parser's own completion scripts evaluate the answers that they get.
        guard !commandLine.prefix(while: { $0 != "--" }).contains(where: { $0.hasPrefix("--generate-completion-script") }) else {
            throw AuthFailure(
                .usage, text: "unknown option '--generate-completion-script'", hint: "use: yett completions bash, zsh or fish")
        }
        return try parseAsRoot(commandLine)
    }

    /// Returns the command without subcommands that a command line begins with, and the rest of the line; `nil` if it begins with none.
    private static func leaf(of commandLine: [String]) -> (command: any ParsableCommand.Type, rest: [String])? {
        var command: any ParsableCommand.Type = RootCommand.self
        var rest = commandLine[...]
        while !command.configuration.subcommands.isEmpty {
            guard let word = rest.popFirst(),
                let next = command.configuration.subcommands.first(where: { $0.configuration.commandName == word })
            else { return nil }
            command = next
        }
        return (command, Array(rest))
    }
}
