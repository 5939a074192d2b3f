internal import ArgumentParser
internal import AuthModel

extension RootCommand {
    /// Parses a command line and returns its command.
    ///
    /// Prompts and status bars call `status` all the time, so it is parsed separately: setting up all other commands would take a sixth of
    /// its time. Errors and help requests go to the full parser, which reports them properly.
    static func parse(commandLine: [String]) throws -> any ParsableCommand {
        if commandLine.first == "status", let command = try? StatusCommand.parse(Array(commandLine.dropFirst())) { return command }
        // The parser's own completion scripts evaluate the answers that they get.
        guard !commandLine.prefix(while: { $0 != "--" }).contains(where: { $0.hasPrefix("--generate-completion-script") }) else {
            throw AuthFailure(
                .usage, text: "unknown option '--generate-completion-script'", hint: "use: yett completions bash, zsh or fish")
        }
        return try parseAsRoot(commandLine)
    }
}
