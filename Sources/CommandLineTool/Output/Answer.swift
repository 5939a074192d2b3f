internal import AuthModel
internal import Glibc
internal import TerminalUI

/// A command's result, which can be printed as text or as JSON.
protocol Answer: Sendable {
    /// The lines for the user. They are sanitised before they are printed.
    var lines: [String] { get }
    /// The result as JSON. Its first member is `version`.
    var json: JSONValue { get }
    /// Returns the lines for a terminal, no wider than it is.
    func rows(on display: Display) -> [StyledText]
}

extension Answer {
    func rows(on display: Display) -> [StyledText] { lines.map { StyledText($0) } }
}

extension JSONValue {
    /// Creates an RFC 3339 string, or null.
    init(_ moment: Timestamp?) { self.init(moment?.description) }

    /// Returns a result object: the version, then the members in their order.
    static func answer(_ members: (String, JSONValue)...) -> JSONValue {
        .object([Member("version", 1)] + members.map { Member($0.0, $0.1) })
    }

    /// Returns a result object whose last member is a list with an element for each value.
    static func answer<Value>(
        _ members: (String, JSONValue)..., list name: String, of values: [Value], _ element: (Value) -> JSONValue
    ) -> JSONValue {
        .object([Member("version", 1)] + members.map { Member($0.0, $0.1) } + [Member(name, .array(values.map(element)))])
    }
}

extension Timestamp {
    /// The time in the user's time zone, for output that people read: `2026-11-24 09:25:47 CET`. JSON has UTC.
    var inLocalTime: String { text(in: ProcessTimeZone.offset(at: self)) }

    /// The time in the user's time zone, as short as it can be: only the time of day on the day of `now`.
    func inShortLocalTime(at now: Timestamp) -> String {
        let (text, today) = (inLocalTime, now.inLocalTime)
        return String(text.prefix(10) == today.prefix(10) ? text.dropFirst(11).prefix(8) : text.prefix(16))
    }

    /// Returns the time in a time zone, with its abbreviation.
    func text(in zone: (offset: Duration, name: String)) -> String {
        let text = (self + zone.offset).description
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8)) \(zone.name)"
    }
}

/// The time zone of this process: the variable `TZ`, or the system's time zone.
enum ProcessTimeZone {
    /// Returns the offset from UTC at a time, positive in the east, and its abbreviation: `CET`.
    static func offset(at moment: Timestamp) -> (offset: Duration, name: String) {
        var seconds = time_t(moment.seconds)
        var fields = tm()
        guard localtime_r(&seconds, &fields) != nil else { return (.zero, "UTC") }
        return (.seconds(fields.tm_gmtoff), fields.tm_zone.map { String(cString: $0) } ?? "")
    }
}

/// An answer that is a table.
protocol TableAnswer: Answer {
    var table: TextTable { get }
}

extension TableAnswer {
    var lines: [String] { table.lines }
    func rows(on display: Display) -> [StyledText] { table.rows(on: display) }
}

/// A table for a terminal. Each column is as wide as its widest cell; a wide character counts as two terminal cells.
struct TextTable {
    private let header: [String]
    private var rows: [[StyledText]] = []
    /// The minimum width of each column on a terminal, so that several tables have the same columns.
    var floors: [Int] = []
    /// Whether a terminal shows the titles of the columns.
    var showsHeader = true
    /// The columns whose cells a terminal shows at the right. They are cut only if nothing else can be.
    var numbers: Set<Int> = []
    /// The columns that a narrow terminal leaves out, the least important first.
    var dispensable: [Int] = []
    /// The columns that are not shown on a terminal.
    var omitted: Set<Int> = []
    /// The column whose text continues in the next row of a narrow terminal, instead of being cut.
    var folding: Int?

    private static let gap = "  "
    /// The narrowest that a column becomes when the table is wider than the terminal.
    private static let narrowest = 8

    init(_ header: String...) { self.header = header }

    mutating func add(_ row: [String]) { add(row.map { StyledText($0) }) }

    mutating func add(_ row: [StyledText]) { rows.append(row) }

    /// The lines of any length, without trailing spaces; none without rows.
    var lines: [String] {
        guard !rows.isEmpty else { return [] }
        let all = [header] + rows.map { row in row.map { Self.trimmed(SafeText.line($0.text)) } }
        let widths = header.indices.map { column in all.map { SafeText.width(of: $0[column]) }.max() ?? 0 }
        return all.map { row in
            let filled = (row.lastIndex { !$0.isEmpty } ?? -1) + 1
            var line = ""
            for (column, cell) in row.prefix(filled).enumerated() {
                line += cell
                guard column < filled - 1 else { continue }
                line += String(repeating: " ", count: widths[column] - SafeText.width(of: cell)) + Self.gap
            }
            return line
        }
    }

    /// Returns the rows for a terminal, no wider than it is: without the dispensable columns that do not fit, and cut in the widest of the
    /// others.
    func rows(on display: Display) -> [StyledText] { entries(on: display).flatMap(\.self) }

    /// Returns the rows of the titles, then those of each row of the table: several if a column is folded.
    func entries(on display: Display) -> [[StyledText]] {
        guard !rows.isEmpty else { return [] }
        let widths = widths(in: display.columns)
        let titles = showsHeader ? [header.map { StyledText($0, .muted) }] : []
        return (titles + rows).map { row in
            guard let folding, widths[folding] > 0 else { return [line(row, widths, on: display)] }
            return row[folding].folded(to: widths[folding]).enumerated().map { index, part in
                let cells = row.indices.map { $0 == folding ? part : index == 0 ? row[$0] : StyledText("") }
                return line(cells, widths, on: display)
            }
        }
    }

    private func line(_ row: [StyledText], _ widths: [Int], on display: Display) -> StyledText {
        var line = StyledText("")
        let filled = (row.indices.last { widths[$0] > 0 && !row[$0].text.isEmpty } ?? -1) + 1
        for (column, cell) in row.prefix(filled).enumerated() where widths[column] > 0 {
            var cell = cell.cut(to: widths[column], display.glyphs)
            if numbers.contains(column) { cell = cell.padded(to: widths[column], before: true) }
            line = line + (column < filled - 1 ? cell.padded(to: widths[column]) + StyledText(Self.gap) : cell)
        }
        return line.cut(to: display.columns, display.glyphs)
    }

    /// The width of each column without a limit.
    var naturalWidths: [Int] {
        header.indices.map { column in
            guard !omitted.contains(column) else { return 0 }
            let cells = rows.map { $0[column].width }.max() ?? 0
            return max(cells, showsHeader ? header[column].count : 0, floors.indices.contains(column) ? floors[column] : 0)
        }
    }

    /// The width without a limit.
    var width: Int { Self.total(naturalWidths) }

    private static func total(_ widths: [Int]) -> Int { widths.reduce(0) { $0 + ($1 > 0 ? $1 + gap.count : 0) } - gap.count }

    private func widths(in columns: Int) -> [Int] {
        var widths = naturalWidths
        for column in dispensable {
            let excess = Self.total(widths) - columns
            guard excess > 0 else { return widths }
            widths[column] = widths[column] - excess >= Self.narrowest ? widths[column] - excess : 0
        }
        for _ in 0..<max(0, Self.total(widths) - columns) {
            let texts = widths.indices.filter { !numbers.contains($0) && widths[$0] > Self.narrowest }
            let candidates = texts.isEmpty ? widths.indices.filter { widths[$0] > Self.narrowest } : texts
            guard let widest = candidates.max(by: { widths[$0] < widths[$1] }) else { break }
            widths[widest] -= 1
        }
        return widths
    }

    private static func trimmed(_ text: String) -> String {
        var line = text[...]
        while line.utf8.last == UInt8(ascii: " ") { line.removeLast() }
        return String(line)
    }
}
