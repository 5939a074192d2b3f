internal import ArgumentParser
internal import AuthModel

extension RootCommand {
    /// Parses a command line and returns its command.
    ///
    /// The command that it names is parsed alone: setting up all other commands takes two thirds of a program start. Errors and help
    /// requests go to the full parser, which reports them properly.
    static func parse(commandLine: [String]) throws -> any ParsableCommand {
        if commandLine.isEmpty { return RootCommand() }
        if let command = named(commandLine) { return command }
        // The parser's own completion scripts evaluate the answers that they get.
        guard !commandLine.prefix(while: { $0 != "--" }).contains(where: { $0.hasPrefix("--generate-completion-script") }) else {
            throw AuthFailure(
                .usage, text: "unknown option '--generate-completion-script'", hint: "use: yett completions bash, zsh or fish")
        }
        return try parseAsRoot(commandLine)
    }

    /// Returns the command that a command line names, without the full parser; `nil` if the line is not valid.
    static func subcommand(_ commandLine: [String]) -> (any Subcommand)? { named(commandLine) as? any Subcommand }

    private static func named(_ commandLine: [String]) -> (any ParsableCommand)? {
        guard let (leaf, rest) = leaf(of: commandLine) else { return nil }
        if leaf == SandboxCommand.self { return SandboxCommand.passing(rest) }
        return try? leaf.parse(rest)
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
