internal import ArgumentParser
internal import AuthModel

/// A command that runs in a world it is given.
protocol Subcommand: ParsableCommand, Sendable {
    /// Whether a signal cancels the command's task, so that it can put things in order, rather than ending the program at once.
    static var handlesInterruptions: Bool { get }

    /// Does the work. Throws ``AuthFailure``, or ``OutputFailure`` when its answer cannot be written.
    func run(in context: CommandContext) async throws
}

extension Subcommand {
    static var handlesInterruptions: Bool { true }
}

/// Ends a command with a status after it has said everything itself.
struct ExitStatus: Error, Equatable {
    let code: Int32
}
