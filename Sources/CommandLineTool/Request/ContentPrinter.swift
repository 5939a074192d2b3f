/// Prints the body of a response as it arrives: unchanged if standard output is not a terminal, otherwise as sanitised lines.
struct ContentPrinter {
    private let console: Console
    /// The beginning of a line whose end has not arrived.
    private var line: [UInt8] = []

    /// A longer line is printed in parts, in bytes.
    private static let lineLimit = 1 << 20

    init(_ console: Console) { self.console = console }

    mutating func write(_ bytes: [UInt8]) throws(OutputError) {
        guard console.isAnswerTerminal else { return try console.content(bytes) }
        line += bytes
        guard let end = line.lastIndex(of: UInt8(ascii: "\n")) ?? (line.count > Self.lineLimit ? line.indices.last : nil) else { return }
        try console.content(Array(line[...end]))
        line.removeFirst(end + 1)
    }

    mutating func end() throws(OutputError) {
        guard !line.isEmpty else { return }
        try console.content(line)
        line = []
    }
}
