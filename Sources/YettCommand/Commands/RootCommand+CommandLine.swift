internal import ArgumentParser

extension RootCommand {
    /// The command that a command line stands for.
    ///
    /// `status`, which prompts and status bars call all the time, is read by itself: to lay out all the other commands beside it takes a sixth of its
    /// time. What is not right there, or asks for help, is left to the whole, which knows what to say of it.
    static func parse(commandLine: [String]) throws -> any ParsableCommand {
        if commandLine.first == "status", let command = try? StatusCommand.parse(Array(commandLine.dropFirst())) { return command }
        return try parseAsRoot(commandLine)
    }
}
