public import AuthModel
public import System

/// Where a command's answer goes, where its other words go, and where a person's come from.
public struct Streams: Sendable {
    /// A stream that is written to.
    public enum Output: Sendable {
        case answer
        case diagnostics
    }

    /// Whether standard input is a terminal.
    public var isInputTerminal: Bool
    /// Whether standard output is a terminal.
    public var isAnswerTerminal: Bool
    /// Whether standard error is a terminal.
    public var isDiagnosticsTerminal: Bool
    /// Writes all bytes, or throws why not.
    public var write: @Sendable (Output, [UInt8]) throws(SystemError) -> Void
    /// The next line of standard input without its end; `nil` at its end, and when the task is cancelled.
    public var line: @Sendable () async -> String?
    /// The same, with a carriage return at its end, where there is one: for input that a program writes, where it is no line end.
    public var exactLine: @Sendable () async -> String?
    /// What the person types into their terminal, which shows nothing of it; `ask` writes the question, once that holds. `nil` when there
    /// is no terminal, nothing came, or the task is cancelled.
    public var hiddenLine: @Sendable (_ ask: @Sendable () -> Void) async -> Secret?
    /// How many columns the terminal has now that diagnostics go to; `nil` where they go elsewhere.
    public var columns: @Sendable () -> Int?

    public init(
        isInputTerminal: Bool, isAnswerTerminal: Bool, isDiagnosticsTerminal: Bool,
        write: @escaping @Sendable (Output, [UInt8]) throws(SystemError) -> Void, line: @escaping @Sendable () async -> String?,
        hiddenLine: @escaping @Sendable (_ ask: @Sendable () -> Void) async -> Secret?,
        columns: @escaping @Sendable () -> Int? = { nil }, exactLine: (@Sendable () async -> String?)? = nil
    ) {
        self.isInputTerminal = isInputTerminal
        self.isAnswerTerminal = isAnswerTerminal
        self.isDiagnosticsTerminal = isDiagnosticsTerminal
        self.write = write
        self.line = line
        self.hiddenLine = hiddenLine
        self.columns = columns
        self.exactLine = exactLine ?? line
    }
}
