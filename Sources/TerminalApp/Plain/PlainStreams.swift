public import AuthModel

/// Where the app as plain prompts is read and answered: no screen, no cursor, one line after the other.
public struct PlainStreams: Sendable {
    /// What ends the app, or what is under way in it.
    public enum Interruption: Sendable {
        /// Ctrl-C.
        case interrupt
        /// The terminal is gone, or the system asks the program to end.
        case end
    }

    /// Writes lines.
    public var say: @Sendable ([String]) -> Void
    /// Writes a question, without an end of its line.
    public var ask: @Sendable (String) -> Void
    /// The next line that is typed; `nil` at the end, or when the task is cancelled.
    public var line: @Sendable () async -> String?
    /// The next line, while nothing of it is shown. `ask` writes the question, and is called once nothing that is typed is seen any more.
    public var hiddenLine: @Sendable (_ ask: @Sendable () -> Void) async -> Secret?
    public var interruptions: @Sendable () -> AsyncStream<Interruption>
    /// How many columns there are now to write on; `nil` where that is no terminal.
    public var columns: @Sendable () -> Int?

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
