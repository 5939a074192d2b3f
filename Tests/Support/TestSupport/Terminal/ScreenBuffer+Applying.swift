public import TerminalUI

extension ScreenBuffer {
    /// Applies changes the way a terminal does.
    public mutating func apply(_ changes: ScreenChanges) {
        if changes.isComplete || changes.size != size { self = ScreenBuffer(size: changes.size, glyphs: glyphs) }
        for run in changes.runs {
            var column = run.origin.column
            for cell in run.cells {
                let place = Point(column: column, row: run.origin.row)
                if let glyph = SafeText.glyphs(cell.text).first { put(glyph, at: place, style: cell.style) }
                column += 1
            }
        }
        cursor = changes.cursor
    }
}
