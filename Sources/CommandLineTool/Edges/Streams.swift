internal import AuthEngine
public import AuthModel
internal import Glibc
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
    /// Reads a line from the terminal with echo, even if standard input is redirected. Calls `ask`, which writes the question with the
    /// function that it gets, because standard error may be redirected too. Returns `nil` at the end of the input, and when the task is
    /// cancelled.
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

extension Streams {
    /// The standard input, output and error of this process.
    static let system: Streams = {
        let input = LineReader(descriptor: 0)
        let bytes = ByteReader(descriptor: 0)
        let line: @Sendable () async -> String? = {
            // A file from another system may end its lines with CR LF.
            guard let line = await input.next() else { return nil }
            return line.utf8.last == UInt8(ascii: "\r") ? String(line.unicodeScalars.dropLast()) : line
        }
        return Streams(
            isInputTerminal: isatty(0) == 1, isAnswerTerminal: isatty(1) == 1, isDiagnosticsTerminal: isatty(2) == 1,
            write: { (output, bytes) throws(SystemError) in try OpenFile.write(bytes, to: output == .answer ? 1 : 2) },
            line: line, hiddenLine: { ask in await TypedLine.hidden(ask) }, columns: columns, size: { Streams.size(of: 1) },
            exactLine: { await input.next() }, bytes: { await bytes.next() },
            typedLine: { ask in await typedLine(ask, without: line) })
    }()

    /// - Parameter line: reads the line if there is no controlling terminal.
    private static func typedLine(
        _ ask: @Sendable (_ write: @escaping @Sendable ([UInt8]) -> Void) -> Void, without line: @Sendable () async -> String?
    ) async -> String? {
        guard let terminal = TypedLine.terminal() else {
            ask { try? OpenFile.write($0, to: 2) }
            return await line()
        }
        defer { close(terminal) }
        let turn = await TerminalTurn.wait(at: terminal, by: SystemTimeSource())
        defer { turn?.end() }
        guard !Task.isCancelled else { return nil }
        return await TypedLine.shown(at: terminal) { ask { try? OpenFile.write($0, to: terminal) } }
    }

    @Sendable private static func columns() -> Int? {
        var size = winsize()
        return ioctl(2, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : nil
    }

    /// Returns the size of a terminal; `nil` if it does not know it, and for anything else.
    static func size(of descriptor: Int32) -> (columns: Int, rows: Int)? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return nil }
        return (Int(size.ws_col), Int(size.ws_row))
    }
}
