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
    /// The path of the table that each entry is written in: of the braces around it, or of the header above it. In the order of
    /// ``entries``.
    let parents: [[String]]
    /// How many steps it took to find ``parents``: at most three for each entry, however the text is nested.
    let effort: Int
    private let firstLines: PathLines

    /// Reads a text.
    public init(_ text: String) throws(TOMLError) {
        var reader = TOMLReader(Array(text.utf8))
        root = try reader.document()
        entries = reader.entries.sorted { $0.range.lowerBound < $1.range.lowerBound }
        lineStarts = reader.lineStarts
        count = text.utf8.count
        (parents, effort) = Self.parents(of: entries)
        var firstLines = PathLines()
        for entry in entries { firstLines.note(entry.path, line: reader.line(at: entry.range.lowerBound)) }
        self.firstLines = firstLines
    }

    /// Goes over the entries once, with the braces and the header that are open at each.
    private static func parents(of entries: [Entry]) -> (parents: [[String]], effort: Int) {
        var header: [String] = []
        var open: [Entry] = []
        var effort = 0
        let parents = entries.map { entry in
            // What ended before this entry begins never contains a later one.
            while let last = open.last, !last.value.contains(entry.range.lowerBound) {
                open.removeLast()
                effort += 1
            }
            effort += 1
            let parent = open.last?.path ?? header
            if entry.place == .header { header = entry.path } else { open.append(entry) }
            return parent
        }
        return (parents, effort)
    }

    /// The line of a path, counted from 1: where it is first named, else that of the nearest path above it.
    public func line(of path: [String]) -> Int? {
        firstLines.line(of: path)
    }

    /// Whether the entry at `index` says, by a dotted key, something below a table that it is not written in.
    func isBelow(_ table: [String], at index: Int) -> Bool {
        let path = entries[index].path
        return path.count > table.count && parents[index].count < table.count && path.starts(with: table)
    }

    /// The first byte of a line, counted from 0; the end of the text for one that is not there.
    func start(ofLine line: Int) -> Int { line < lineStarts.count ? lineStarts[line] : count }

    /// The lines, counted from 0, on which a range of bytes stands.
    func lines(of range: Range<Int>) -> ClosedRange<Int> {
        let first = lineStarts.line(at: range.lowerBound)
        return first...max(first, lineStarts.line(at: max(range.lowerBound, range.upperBound - 1)))
    }
}

/// The line on which each path is first named. A tree of names: paths share their beginnings.
private struct PathLines: Equatable, Sendable {
    private struct Node: Equatable, Sendable {
        var line: Int?
        var below: [String: Int] = [:]
    }

    private var nodes = [Node()]

    mutating func note(_ path: [String], line: Int) {
        var node = 0
        for name in path {
            if let next = nodes[node].below[name] {
                node = next
            } else {
                nodes[node].below[name] = nodes.count
                node = nodes.count
                nodes.append(Node(line: line))
            }
        }
    }

    /// The line of a path, or else of the nearest one above it.
    func line(of path: [String]) -> Int? {
        var node = 0
        for name in path {
            guard let next = nodes[node].below[name] else { break }
            node = next
        }
        return nodes[node].line
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
