/// A parsed TOML 1.0 document: its values and their positions in the text.
///
/// Parsing is strict. Text that the specification does not allow is refused with its line number. Depth and size are limited, which bounds
/// stack use and time.
public struct TOMLDocument: Equatable, Sendable {
    /// A table header, or a key with its value.
    public struct Entry: Equatable, Sendable {
        /// The syntax that contains an entry.
        public enum Place: Equatable, Sendable {
            /// `[table]` or `[[table]]`.
            case header
            /// A key on its own line.
            case line
            /// A key in an inline table.
            case braces
        }

        /// The full path from the root.
        public let path: [String]
        /// The syntax that contains the entry.
        public let place: Place
        /// The bytes from the key or bracket to the end of the entry.
        public let range: Range<Int>
        /// The bytes of the value; empty for a header.
        public let value: Range<Int>
    }

    /// The maximum nesting of tables and arrays.
    public static let maximumDepth = 32

    /// All values, as a table.
    public let root: TOMLValue
    /// The entries in the order of the text. A key of an inline table follows the key whose value is that table.
    public let entries: [Entry]
    private let lineStarts: [Int]
    private let count: Int
    /// The path of the table that contains each entry: the enclosing inline table, or the table of the preceding header. In the order of
    /// ``entries``.
    let parents: [[String]]
    private let firstLines: PathLines

    /// Parses a text.
    public init(_ text: String) throws(TOMLError) {
        var reader = TOMLReader(Array(text.utf8))
        root = try reader.document()
        entries = reader.entries.sorted { $0.range.lowerBound < $1.range.lowerBound }
        lineStarts = reader.lineStarts
        count = text.utf8.count
        parents = Self.parents(of: entries)
        var firstLines = PathLines()
        for entry in entries { firstLines.note(entry.path, line: reader.line(at: entry.range.lowerBound)) }
        self.firstLines = firstLines
    }

    /// Visits the entries once and tracks the current header and the open inline tables.
    static func parents(of entries: some Sequence<Entry>) -> [[String]] {
        var header: [String] = []
        var open: [Entry] = []
        return entries.map { entry in
            // An inline table that ends before this entry cannot contain a later one.
            while let last = open.last, !last.value.contains(entry.range.lowerBound) { open.removeLast() }
            let parent = open.last?.path ?? header
            if entry.place == .header { header = entry.path } else { open.append(entry) }
            return parent
        }
    }

    /// Returns the line of a path, counted from 1: the line where the path first occurs, or that of its nearest parent.
    public func line(of path: [String]) -> Int? {
        firstLines.line(of: path)
    }

    /// Returns the line of an entry, and its first byte in that line, both counted from 1.
    public func position(of entry: Entry) -> (line: Int, column: Int) {
        let line = lineStarts.line(at: entry.range.lowerBound)
        return (line + 1, entry.range.lowerBound - lineStarts[line] + 1)
    }

    /// Returns whether the entry at `index` uses a dotted key to define something in `table` from outside that table.
    func isBelow(_ table: [String], at index: Int) -> Bool {
        let path = entries[index].path
        return path.count > table.count && parents[index].count < table.count && path.isPath(in: table)
    }

    /// Returns the offset of the first byte of a line, counted from 0; the end of the text if there is no such line.
    func start(ofLine line: Int) -> Int { line < lineStarts.count ? lineStarts[line] : count }

    /// Returns the lines, counted from 0, that contain a range of bytes.
    func lines(of range: Range<Int>) -> ClosedRange<Int> {
        let first = lineStarts.line(at: range.lowerBound)
        return first...max(first, lineStarts.line(at: max(range.lowerBound, range.upperBound - 1)))
    }
}

/// The line on which each path first occurs, stored as a tree, because paths share prefixes.
private struct PathLines: Equatable, Sendable {
    private struct Node: Equatable, Sendable {
        var line: Int?
        var below: [TOMLName: Int] = [:]
    }

    private var nodes = [Node()]

    mutating func note(_ path: [String], line: Int) {
        var node = 0
        for name in path {
            if let next = nodes[node].below[TOMLName(name)] {
                node = next
            } else {
                nodes[node].below[TOMLName(name)] = nodes.count
                node = nodes.count
                nodes.append(Node(line: line))
            }
        }
    }

    /// Returns the line of a path, or that of its nearest parent.
    func line(of path: [String]) -> Int? {
        var node = 0
        for name in path {
            guard let next = nodes[node].below[TOMLName(name)] else { break }
            node = next
        }
        return nodes[node].line
    }
}

extension [Int] {
    /// Returns the line, counted from 0, of a byte: the index of the last line start at or before it.
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

/// The name of a key or a table, compared by its bytes (TOML 1.0, Keys). Swift's `==` treats canonically equivalent texts as equal, such as
/// é in one and in two characters.
struct TOMLName: Hashable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (left: TOMLName, right: TOMLName) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension Sequence<String> {
    /// Returns whether both paths have the same names.
    func isPath(_ other: [String]) -> Bool { elementsEqual(other) { TOMLName($0) == TOMLName($1) } }

    /// Returns whether the path is a table's, or goes through it.
    func isPath(in table: [String]) -> Bool { starts(with: table) { TOMLName($0) == TOMLName($1) } }
}

/// The reason why a text is not valid TOML.
public struct TOMLError: Error, Equatable, Sendable {
    /// A text as a code with named arguments, such as `toml.key_twice` with `key`. An argument may quote the text that was read.
    public struct Message: Hashable, Sendable, ExpressibleByStringLiteral {
        /// The code.
        public let code: String
        /// The arguments by name.
        public let arguments: [String: String]

        package init(_ code: String, _ arguments: [String: String] = [:]) {
            self.code = code
            self.arguments = arguments
        }

        public init(stringLiteral code: String) { self.init(code) }
    }

    /// The line of the error, counted from 1.
    public var line: Int
    /// The byte of the error in its line, counted from 1.
    public var column: Int
    /// The mistake.
    public var reason: Message
    /// A way to fix it.
    public var hint: Message
}
