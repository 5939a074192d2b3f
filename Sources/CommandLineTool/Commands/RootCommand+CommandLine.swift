internal import ArgumentParser
internal import AuthModel

extension RootCommand {
    /// The command that a command line stands for.
    ///
    /// `status`, which prompts and status bars call all the time, is read by itself: to lay out all the other commands beside it takes a
    /// sixth of its time. What is not right there, or asks for help, is left to the whole, which knows what to say of it.
    static func parse(commandLine: [String]) throws -> any ParsableCommand {
        if commandLine.first == "status", let command = try? StatusCommand.parse(Array(commandLine.dropFirst())) { return command }
        // The parser's own scripts evaluate what they are answered.
        guard !commandLine.prefix(while: { $0 != "--" }).contains(where: { $0.hasPrefix("--generate-completion-script") }) else {
            throw AuthFailure(.usage, "unknown option '--generate-completion-script'", hint: "use: yett completions bash, zsh or fish")
        }
        return try parseAsRoot(commandLine)
    }
}
