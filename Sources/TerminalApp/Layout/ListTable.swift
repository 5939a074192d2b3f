import TerminalUI

/// A table that keeps the selected row visible, as near to the middle as possible.
struct ListTable {
    let columns: [TableColumn]
    let count: Int
    let selected: Int
    var hasHeader = true
    /// Whether a click on a row selects it in this list.
    var isClickable = true
    let row: (Int) -> [Table.Content]

    /// Returns the prefix of the first column, so that colour is not the only mark of the selected row.
    static func pointer(_ isMarked: Bool, _ glyphs: GlyphSet) -> TextLine.Span {
        TextLine.Span(isMarked ? glyphs.pointer + " " : "  ", Style(.accent))
    }

    func draw(in area: Rect, into buffer: inout ScreenBuffer) {
        let rows = hasHeader && area.rows > 1 ? area.rows - 1 : area.rows
        let visible = ListWindow.visible(count: count, selected: selected, rows: rows)
        for (offset, index) in visible.enumerated() where isClickable {
            buffer.mark(Rect(column: area.left, row: area.bottom - rows + offset, columns: area.columns, rows: 1), as: .row(index))
        }
        buffer.draw(
            Table(
                columns: columns, count: count, position: ListPosition(selected: selected, first: visible.lowerBound), hasHeader: hasHeader,
                row: row),
            in: area)
    }
}
