/// What a program said, and how it ended.
public struct ProgramResult: Equatable, Sendable, CustomStringConvertible {
    /// How a program ended.
    public enum Ending: Equatable, Sendable {
        /// By itself, with this status.
        case exited(Int32)
        /// By this signal.
        case signalled(Int32)
        /// It was killed, because the test gave it no more time.
        case overran
    }

    /// Nil while it runs.
    public var ending: Ending?
    /// All it wrote to standard output so far.
    public var output: String
    /// All it wrote to standard error so far.
    public var errors: String

    public init(ending: Ending?, output: String, errors: String) {
        self.ending = ending
        self.output = output
        self.errors = errors
    }

    /// The exit status, where it ended by itself.
    public var status: Int32? {
        if case .exited(let status) = ending { status } else { nil }
    }

    public var description: String {
        "\(ending.map { "\($0)" } ?? "still running")\n--- standard output\n\(output)\n--- standard error\n\(errors)"
    }
}
