public import AuthModel
public import OperatingSystem

/// The standard streams of a command: its result, its diagnostics and its input.
public struct Streams: Sendable {
    /// An output stream.
    public enum Output: Sendable {
        /// Standard output, for results.
        case answer
        /// Standard error, for everything else.
        case diagnostics
    }

    /// Whether standard input is a terminal.
    public var isInputTerminal: Bool
    /// Whether standard output is a terminal.
    public var isAnswerTerminal: Bool
    /// Whether standard error is a terminal.
    public var isDiagnosticsTerminal: Bool
    /// Writes all bytes; throws if that fails.
    public var write: @Sendable (Output, [UInt8]) throws(SystemError) -> Void
    /// Returns the next line of standard input without its line ending; `nil` at the end, and when the task is cancelled.
    public var line: @Sendable () async -> String?
    /// Like `line`, but keeps a carriage return at the end of the line: for input from a program, where it is not part of a line ending.
    public var exactLine: @Sendable () async -> String?
    /// Returns the next bytes of standard input; `nil` at the end, and when the task is cancelled. Not together with `line`.
    public var bytes: @Sendable () async -> [UInt8]?
    /// Reads a line from the terminal without echo. Calls `ask`, which writes the question, once the echo is off. Returns `nil` if there is
    /// no terminal, the line is empty, or the task is cancelled.
    public var hiddenLine: @Sendable (_ ask: @Sendable () -> Void) async -> Secret?
    /// Reads a line from the terminal with echo, even if standard input is redirected. Calls `ask`, which writes the question with the function
    /// that it gets, because standard error may be redirected too. Returns `nil` at the end of the input, and when the task is cancelled.
    public var typedLine: @Sendable (_ ask: @Sendable (_ write: @escaping @Sendable ([UInt8]) -> Void) -> Void) async -> String?
    /// Returns the current width, in columns, of the terminal that diagnostics go to; `nil` if they do not go to a terminal.
    public var columns: @Sendable () -> Int?

    /// Returns the current size of the terminal that results go to; `nil` if they do not go to a terminal.
    public var size: @Sendable () -> (columns: Int, rows: Int)?

    /// Creates streams. Without `exactLine` or `typedLine`, `line` is used in its place, and the question goes to standard error.
    public init(
        isInputTerminal: Bool, isAnswerTerminal: Bool, isDiagnosticsTerminal: Bool,
        write: @escaping @Sendable (Output, [UInt8]) throws(SystemError) -> Void, line: @escaping @Sendable () async -> String?,
        hiddenLine: @escaping @Sendable (_ ask: @Sendable () -> Void) async -> Secret?,
        columns: @escaping @Sendable () -> Int? = { nil }, size: @escaping @Sendable () -> (columns: Int, rows: Int)? = { nil },
        exactLine: (@Sendable () async -> String?)? = nil, bytes: @escaping @Sendable () async -> [UInt8]? = { nil },
        typedLine: (@Sendable (_ ask: @Sendable (_ write: @escaping @Sendable ([UInt8]) -> Void) -> Void) async -> String?)? = nil
    ) {
        self.isInputTerminal = isInputTerminal
        self.isAnswerTerminal = isAnswerTerminal
        self.isDiagnosticsTerminal = isDiagnosticsTerminal
        self.write = write
        self.line = line
        self.hiddenLine = hiddenLine
        self.columns = columns
        self.size = size
        self.exactLine = exactLine ?? line
        self.bytes = bytes
        self.typedLine =
            typedLine ?? { ask in
                ask { try? write(.diagnostics, $0) }
                return await line()
            }
    }
}
