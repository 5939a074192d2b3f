/// Prints the body of a response as it arrives: unchanged if standard output is not a terminal, otherwise as sanitised lines.
struct ContentPrinter {
    private let console: Console
    /// The beginning of a line whose end has not arrived.
    private var line: [UInt8] = []
    /// How many bytes were searched for the end of a line.
    private(set) var stepCount = 0

    /// A longer line is printed in parts, in bytes.
    private static let lineLimit = 1 << 20

    init(_ console: Console) { self.console = console }

    mutating func write(_ bytes: [UInt8]) throws(OutputError) {
        guard console.isAnswerTerminal else { return try console.content(bytes) }
        stepCount += bytes.count
        // Only the new bytes are searched: a server may send a long line byte by byte.
        guard let end = bytes.lastIndex(of: UInt8(ascii: "\n")) else {
            line += bytes
            if line.count > Self.lineLimit { try self.end() }
            return
        }
        try console.content(line + bytes[...end])
        line = Array(bytes[(end + 1)...])
    }

    mutating func end() throws(OutputError) {
        guard !line.isEmpty else { return }
        try console.content(line)
        line = []
    }
}
