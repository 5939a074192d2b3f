/// The change that sets up a tool, or removes the setup.
struct SetupChange: Sendable {
    var steps: [SetupStep] = []

    /// The lines that show the change: for each step the file, the commands, and the lines before and after.
    var lines: [String] {
        steps.flatMap { step in
            [step.place]
                + step.actions.compactMap { action in if case .run(let words) = action { "  $ " + words.shellLine } else { nil } }
                + step.before.map { "  - " + $0 } + step.after.map { "  + " + $0 }
        }
    }
}
