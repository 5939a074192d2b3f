public import AuthModel

/// The input and output of the plain-prompt mode, line by line.
public struct PlainStreams: Sendable {
    /// An event that ends the app or its current action.
    public enum Interruption: Sendable {
        /// Ctrl-C.
        case interrupt
        /// The terminal has hung up, or the system asks the program to end.
        case end
    }

    /// Writes lines.
    public var say: @Sendable ([String]) -> Void
    /// Writes a question, without a line end.
    public var ask: @Sendable (String) -> Void
    /// Reads the next line; nil at the end of the input, or if the task is cancelled.
    public var line: @Sendable () async -> String?
    /// Reads the next line without showing it. `ask` writes the question, and is called once the echo is off.
    public var hiddenLine: @Sendable (_ ask: @Sendable () -> Void) async -> Secret?
    /// Returns a stream of interruptions.
    public var interruptions: @Sendable () -> AsyncStream<Interruption>
    /// Returns the current width in columns; nil if the output is not a terminal.
    public var columns: @Sendable () -> Int?

    /// Creates streams; by default the output is not a terminal.
    public init(
        say: @escaping @Sendable ([String]) -> Void, ask: @escaping @Sendable (String) -> Void,
        line: @escaping @Sendable () async -> String?, hiddenLine: @escaping @Sendable (_ ask: @Sendable () -> Void) async -> Secret?,
        interruptions: @escaping @Sendable () -> AsyncStream<Interruption>, columns: @escaping @Sendable () -> Int? = { nil }
    ) {
        self.say = say
        self.ask = ask
        self.line = line
        self.hiddenLine = hiddenLine
        self.interruptions = interruptions
        self.columns = columns
    }
}
