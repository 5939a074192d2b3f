/// The output of a program, and how it ended.
public struct ProgramResult: Equatable, Sendable, CustomStringConvertible {
    /// How a program ended.
    public enum Ending: Equatable, Sendable {
        /// It exited by itself, with this status.
        case exited(Int32)
        /// It was killed by this signal.
        case signalled(Int32)
        /// It was killed because it exceeded the test's time limit.
        case overran
    }

    /// Nil while the program runs.
    public var ending: Ending?
    /// The standard output so far.
    public var output: String
    /// The standard error so far.
    public var errors: String

    /// Creates a result.
    public init(ending: Ending?, output: String, errors: String) {
        self.ending = ending
        self.output = output
        self.errors = errors
    }

    /// The exit status, if it exited by itself.
    public var status: Int32? {
        if case .exited(let status) = ending { status } else { nil }
    }

    public var description: String {
        "\(ending.map { "\($0)" } ?? "still running")\n--- standard output\n\(output)\n--- standard error\n\(errors)"
    }
}
