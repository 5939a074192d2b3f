internal import ArgumentParser
internal import AuthModel

/// A command with examples on its help page.
protocol DocumentedCommand: ParsableCommand {
    /// Command lines that a user can copy, each with what it does.
    static var examples: KeyValuePairs<String, String> { get }
}

/// A command that runs in a given context.
protocol Subcommand: DocumentedCommand, Sendable {
    /// Whether a signal cancels the command's task, so that it can clean up, instead of ending the program at once.
    static var handlesInterruptions: Bool { get }

    /// Whether the agent runs the command for the launcher: it is frequent, and uses only sessions and the configuration.
    var runsInAgent: Bool { get }

    /// Runs the command. Throws ``AuthFailure``, or ``OutputError`` if its output cannot be written.
    func run(in context: CommandContext) async throws
}

extension Subcommand {
    static var handlesInterruptions: Bool { true }
    var runsInAgent: Bool { false }
}

/// Ends a command that has printed everything itself with an exit status.
struct ExitStatus: Error, Equatable {
    let code: Int32
}
