internal import AuthModel
internal import TerminalUI

/// A command's result, which can be printed as text or as JSON.
protocol Answer: Sendable {
    /// The lines for the user. They are sanitised before they are printed.
    var lines: [String] { get }
    /// The result as JSON. Its first member is `version`.
    var json: JSONValue { get }
}

extension JSONValue {
    /// Creates an RFC 3339 string, or null.
    init(_ moment: Timestamp?) { self.init(moment?.description) }

    /// Returns a result object: the version, then the members in their order.
    static func answer(_ members: (String, JSONValue)...) -> JSONValue {
        .object([Member("version", 1)] + members.map { Member($0.0, $0.1) })
    }
}

/// A table for a terminal. Each column is as wide as its widest cell; a wide character counts as two terminal cells.
struct Table {
    private let header: [String]
    private var rows: [[String]] = []

    init(_ header: String...) { self.header = header }

    mutating func add(_ row: [String]) { rows.append(row) }

    /// The lines, without trailing spaces.
    var lines: [String] {
        let all = ([header] + rows).map { row in row.map(Cell.init) }
        let widths = header.indices.map { column in all.map { $0[column].width }.max() ?? 0 }
        return all.map { row in
            let filled = (row.lastIndex { !$0.isBlank } ?? -1) + 1
            var line = ""
            for (column, cell) in row.prefix(filled).enumerated() {
                line += cell.text
                guard column < filled - 1 else { continue }
                line += String(repeating: " ", count: widths[column] - cell.width + 2)
            }
            return line
        }
    }

    private struct Cell {
        let text: String
        let width: Int

        /// Creates a cell with the text made safe to print, without trailing spaces.
        init(_ text: String) {
            var line = SafeText.line(text)[...]
            while line.utf8.last == UInt8(ascii: " ") { line.removeLast() }
            self.text = String(line)
            width = SafeText.width(of: self.text)
        }

        var isBlank: Bool { text.isEmpty }
    }
}

extension Timestamp {
    /// The time in the user's time zone, for output that people read: `2026-11-24 09:25:47 CET`. JSON has UTC.
    var inLocalTime: String { text(in: ProcessTimeZone.offset(at: self)) }

    /// Returns the time in a time zone, with its abbreviation.
    func text(in zone: (offset: Duration, name: String)) -> String {
        let text = (self + zone.offset).description
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8)) \(zone.name)"
    }
}
