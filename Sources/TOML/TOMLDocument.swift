/// A text that is TOML 1.0: its values, and where each of them stands.
///
/// Reading is strict. What the specification does not allow is refused with its line, whatever the bytes are; depth and size are bounded,
/// so neither stack nor time runs away.
public struct TOMLDocument: Equatable, Sendable {
    /// A header, or a key with its value.
    public struct Entry: Equatable, Sendable {
        /// What an entry is part of.
        public enum Place: Equatable, Sendable {
            /// `[table]` or `[[table]]`.
            case header
            /// A line of its own.
            case line
            /// Between the braces of an inline table.
            case braces
        }

        /// The full path, from the root.
        public let path: [String]
        public let place: Place
        /// The bytes from the key, or the bracket, to the end.
        public let range: Range<Int>
        /// The bytes of the value; empty for a header.
        public let value: Range<Int>
    }

    /// The most levels of tables and arrays.
    public static let maximumDepth = 32

    /// The values: always a table.
    public let root: TOMLValue
    /// In the order of the text. A key between braces stands behind the key whose value the braces are.
    public let entries: [Entry]
    private let lineStarts: [Int]
    private let count: Int
    private let firstLines: [[String]: Int]

    /// Reads a text.
    public init(_ text: String) throws(TOMLError) {
        var reader = TOMLReader(Array(text.utf8))
        root = try reader.document()
        entries = reader.entries.sorted { $0.range.lowerBound < $1.range.lowerBound }
        lineStarts = reader.lineStarts
        count = text.utf8.count
        var firstLines: [[String]: Int] = [:]
        for entry in entries {
            let line = reader.line(at: entry.range.lowerBound)
            for count in stride(from: entry.path.count, to: 0, by: -1) {
                let path = Array(entry.path.prefix(count))
                if firstLines[path] != nil { break }
                firstLines[path] = line
            }
        }
        self.firstLines = firstLines
    }

    /// The line of a path, counted from 1: where it is first named, else that of the nearest path above it.
    public func line(of path: [String]) -> Int? {
        for count in stride(from: path.count, to: 0, by: -1) {
            if let line = firstLines[Array(path.prefix(count))] { return line }
        }
        return nil
    }

    /// The path of the table that an entry is written in: of the braces around it, or of the header above it.
    func parent(of entry: Entry) -> [String] {
        let braces = entries.last { $0.place != .header && $0.range != entry.range && $0.value.contains(entry.range.lowerBound) }
        if let braces { return braces.path }
        return entries.last { $0.place == .header && $0.range.lowerBound < entry.range.lowerBound }?.path ?? []
    }

    /// Whether an entry says, by a dotted key, something below a table that it is not written in.
    func isBelow(_ table: [String], _ entry: Entry) -> Bool {
        entry.path.starts(with: table) && entry.path.count > table.count && parent(of: entry).count < table.count
    }

    /// The first byte of a line, counted from 0; the end of the text for one that is not there.
    func start(ofLine line: Int) -> Int { line < lineStarts.count ? lineStarts[line] : count }

    /// The lines, counted from 0, on which a range of bytes stands.
    func lines(of range: Range<Int>) -> ClosedRange<Int> {
        let first = lineStarts.line(at: range.lowerBound)
        return first...max(first, lineStarts.line(at: max(range.lowerBound, range.upperBound - 1)))
    }
}

extension [Int] {
    /// The line, counted from 0, of a byte: the last of these beginnings that is not behind it.
    func line(at offset: Int) -> Int {
        var low = 0
        var high = count
        while low + 1 < high {
            let middle = (low + high) / 2
            if self[middle] <= offset { low = middle } else { high = middle }
        }
        return low
    }
}
