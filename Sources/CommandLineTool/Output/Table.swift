internal import TerminalUI

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
