internal import TerminalUI

/// Columns of text for a terminal, as wide as their widest cell; wide characters count as the cells they take.
struct Table {
    private let header: [String]
    private var rows: [[String]] = []

    init(_ header: String...) { self.header = header }

    mutating func add(_ row: [String]) { rows.append(row) }

    /// The lines, without blanks at their ends.
    var lines: [String] {
        let all = ([header] + rows).map { row in row.map { SafeText.line($0) } }
        let widths = header.indices.map { column in all.map { SafeText.width(of: $0[column]) }.max() ?? 0 }
        return all.map { row in
            var line = ""
            for (column, cell) in row.enumerated() {
                line += cell
                guard column < row.count - 1 else { continue }
                line += String(repeating: " ", count: widths[column] - SafeText.width(of: cell) + 2)
            }
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}
