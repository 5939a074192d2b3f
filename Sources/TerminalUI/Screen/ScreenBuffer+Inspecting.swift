extension ScreenBuffer {
    /// The visible text: the rows without trailing spaces, joined by line feeds.
    public var text: String {
        (0..<size.rows).map { index in
            var line = row(index).map(\.text).joined()
            while line.last == " " { line.removeLast() }
            return line
        }.joined(separator: "\n")
    }

    /// Returns the style of the cell at `point`; nil outside the grid.
    public func style(at point: Point) -> Style? { cell(at: point)?.style }

    /// Every run of one style, in reading order: `0:2-7 title@panel+bold` is row 0, columns 2 to 7.
    public var styles: [String] {
        (0..<size.rows).flatMap { index -> [String] in
            var lines: [String] = []
            var start = 0
            let cells = Array(row(index))
            for column in cells.indices where column + 1 == cells.count || cells[column + 1].style != cells[column].style {
                lines.append("\(index):\(start)-\(column) \(cells[column].style)")
                start = column + 1
            }
            return lines
        }
    }

    /// Returns the columns and row of the first occurrence of `wanted`; nil if it is not on the screen. For tests and for anchoring.
    public func find(_ wanted: String) -> Rect? {
        let glyphs = SafeText.glyphs(wanted)
        guard !glyphs.isEmpty else { return nil }
        for index in 0..<size.rows {
            let places = row(index).enumerated().filter { !$0.element.isContinuation }.map { (column: $0.offset, text: $0.element.text) }
            guard places.count >= glyphs.count else { continue }
            for start in 0...(places.count - glyphs.count)
            where glyphs.indices.allSatisfy({ places[start + $0].text == glyphs[$0].text }) {
                return Rect(column: places[start].column, row: index, columns: glyphs.width, rows: 1)
            }
        }
        return nil
    }
}
