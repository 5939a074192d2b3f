import TerminalAppModel
import TerminalUI

/// The content of a floating box: a filter, and the list of what matches it.
struct FloatingList {
    let filter: TextFieldContent
    let placeholder: String
    /// The least width of the column at the right.
    let rightColumns: Int
    let count: Int
    let selected: Int

    /// Draws the list. `row` returns the two cells of a row.
    func draw(in area: Rect, into buffer: inout ScreenBuffer, row: @escaping (Int, GlyphSet) -> [Table.Content]) {
        // In its box, the list is on the panel's surface, and has its margin.
        let isBoxed = area != Frame.body(buffer.size)
        let surface: Surface = isBoxed ? .panel : .screen
        let margin = !isBoxed && area.columns >= 30 ? Document.margin : 0
        let parts = area.inset(columns: margin).split(rows: [.cells(area.rows < 8 ? 1 : 2), .rest])
        FilterLine(content: filter, placeholder: placeholder, surface: surface).draw(in: parts[0], into: &buffer)
        guard count > 0 else {
            buffer.write(Words.sentence(PickerWords.noMatches), in: parts[1], style: Style(.warning, on: surface))
            return
        }
        let glyphs = buffer.glyphs
        let columns = [
            TableColumn("", minimum: 20, share: 1, importance: 3),
            TableColumn("", minimum: rightColumns, alignment: .right, importance: 2),
        ]
        var table = ListTable(columns: columns, count: count, selected: selected, hasHeader: false) { row($0, glyphs) }
        table.surface = surface
        table.draw(in: parts[1], into: &buffer)
    }
}
