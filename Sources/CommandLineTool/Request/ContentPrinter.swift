internal import AuthModel
internal import OAuth
internal import TerminalUI

/// Prints the body of a response as it arrives: unchanged if standard output is not a terminal, otherwise as sanitised lines.
struct ContentPrinter {
    private let console: Console
    /// The beginning of a line whose end has not arrived.
    private var line: [UInt8] = []

    /// A longer line is printed in parts, in bytes.
    private static let lineLimit = 1 << 20

    init(_ console: Console) { self.console = console }

    mutating func write(_ bytes: some RandomAccessCollection<UInt8>) throws(OutputError) {
        guard console.isAnswerTerminal else { return try console.content(Array(bytes)) }
        // Only the new bytes are searched: a server may send a long line byte by byte.
        guard let end = bytes.lastIndex(of: UInt8(ascii: "\n")) else {
            line += bytes
            if line.count > Self.lineLimit { try self.end() }
            return
        }
        try console.content(line + bytes[...end])
        line = Array(bytes[end...].dropFirst())
    }

    mutating func end() throws(OutputError) {
        guard !line.isEmpty else { return }
        try console.content(line)
        line = []
    }
}

/// One line on the terminal with the progress of a long transfer.
struct TransferProgress {
    private let console: Console
    private let time: any TimeSource
    private let start: Duration
    private let total: Int?
    private var received = 0
    private var shown: Duration?
    private var width = 0
    /// The terminal for a bar; `nil` shows numbers only.
    private let display: Display?

    /// A shorter transfer shows nothing.
    private static let delay = Duration.seconds(1)
    private static let interval = Duration.milliseconds(250)

    init(total: Int?, console: Console, time: any TimeSource, display: Display? = nil) {
        self.total = total
        // The body may be printed on the same terminal.
        self.display = console.isAnswerTerminal ? nil : display
        self.console = console
        self.time = time
        start = time.bootTime
    }

    /// Counts received bytes, and shows the progress now and then.
    mutating func add(_ count: Int) {
        received += count
        let now = time.bootTime
        guard now - start >= Self.delay, now - (shown ?? .zero) >= Self.interval || shown == nil else { return }
        shown = now
        let line = Self.line(received, of: total, after: now - start)
        if let display, let bar = Self.bar(received, of: total, after: now - start, on: display) {
            console.rewrite(bar + StyledText(line), on: display)
        } else {
            console.overwrite(line, clearing: width)
        }
        width = line.utf8.count
    }

    /// Removes the line.
    mutating func end() {
        guard width > 0 else { return }
        if let display { console.rewrite("", on: display) } else { console.overwrite("", clearing: width) }
        width = 0
    }

    /// Returns a bar with the part that has arrived and the time left; `nil` if the size is unknown or the terminal is too narrow.
    static func bar(_ received: Int, of total: Int?, after elapsed: Duration, on display: Display) -> StyledText? {
        guard let total, total > 0, display.columns >= 72 else { return nil }
        let part = min(Double(received) / Double(total), 1)
        let cells = min(display.columns / 4, 30)
        let filled = Int(part * Double(cells))
        let left = part > 0 ? Double(elapsed.wholeMilliseconds) * (1 - part) / part : 0
        let time = Duration.milliseconds(Int64(min(left.rounded(), 1e12)))
        return StyledText(String(repeating: display.glyphs.barFilled, count: filled), .barFilled)
            + StyledText(String(repeating: display.glyphs.barEmpty, count: cells - filled), .barEmpty)
            + StyledText(" \(Int(part * 100)) %, \(time.formatted) left, ")
    }

    /// Returns the line, such as `12.5 MB of 100 MB, 3.1 MB/s`.
    static func line(_ received: Int, of total: Int?, after elapsed: Duration) -> String {
        let milliseconds = max(1, elapsed.wholeMilliseconds)
        let speed = Int(min(Double(received) * 1000 / Double(milliseconds), Double(Int.max / 2)))
        let whole = total.map { " of \(size($0))" } ?? ""
        return "\(size(received))\(whole), \(size(speed))/s"
    }

    /// Returns a size in the largest decimal unit, with one decimal place below 100.
    static func size(_ bytes: Int) -> String {
        var (value, unit) = (Double(bytes), 0)
        let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"]
        while value >= 999.5, unit < units.count - 1 {
            value /= 1000
            unit += 1
        }
        guard unit > 0, value < 99.95 else { return "\(Int(value.rounded())) \(units[unit])" }
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }
}

extension ResourceResponse: Answer {
    var lines: [String] { [] }

    /// The response as JSON: the body as JSON if it parses as JSON, otherwise as text.
    var json: JSONValue {
        .answer(
            ("url", .string(url.text)), ("status", .number(response.status)), ("anonymous", .bool(isAnonymous)),
            ("content_type", JSONValue(response.header("Content-Type"))), ("headers", headers), ("body", body))
    }

    /// The header fields in their order; a name may occur more than once.
    private var headers: JSONValue {
        .array(response.headers.map { .members(("name", .string($0.name)), ("value", .string($0.value))) })
    }

    private var body: JSONValue {
        guard !response.body.isEmpty else { return .null }
        return response.document ?? .string(String(decoding: response.body, as: UTF8.self))
    }
}
