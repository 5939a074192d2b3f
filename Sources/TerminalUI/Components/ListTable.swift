/// A table that keeps the selected row visible, as near to the middle as possible.
package struct ListTable {
    let columns: [TableColumn]
    let count: Int
    let selected: Int
    let hasHeader: Bool
    /// Whether a click on a row selects it in this list.
    let isClickable: Bool
    /// The background.
    package var surface = Surface.screen
    /// Whether the table has the keyboard focus.
    package var isFocused = true
    /// Whether a click on a column's title is recorded, as the part with the column's index.
    package var marksHeader = false
    /// The background of rows that are highlighted for a moment; nil for the others.
    package var rowSurface: (Int) -> Surface? = { _ in nil }
    let row: (Int) -> [Table.Content]

    /// Creates a table.
    ///
    /// - Parameter row: returns the cells of a row; called only for visible rows.
    package init(
        columns: [TableColumn], count: Int, selected: Int, hasHeader: Bool = true, isClickable: Bool = true,
        row: @escaping (Int) -> [Table.Content]
    ) {
        self.columns = columns
        self.count = count
        self.selected = selected
        self.hasHeader = hasHeader
        self.isClickable = isClickable
        self.row = row
    }

    /// Returns the prefix of the first column, so that colour is not the only mark of the selected row.
    package static func pointer(_ isMarked: Bool, _ glyphs: GlyphSet) -> TextLine.Span {
        TextLine.Span(isMarked ? glyphs.pointer + " " : "  ", Style(.accent))
    }

    /// Draws the visible rows, and records what a click on each means.
    package func draw(in area: Rect, into buffer: inout ScreenBuffer) {
        let rows = hasHeader && area.rows > 1 ? area.rows - 1 : area.rows
        let visible = ListWindow.visible(count: count, selected: selected, rows: rows)
        for (offset, index) in visible.enumerated() where isClickable {
            buffer.mark(Rect(column: area.left, row: area.bottom - rows + offset, columns: area.columns, rows: 1), as: .row(index))
        }
        var table = Table(
            columns: columns, count: count, position: ListPosition(selected: selected, first: visible.lowerBound), surface: surface,
            hasHeader: hasHeader, isFocused: isFocused, row: row)
        table.rowSurface = rowSurface
        if marksHeader, rows < area.rows {
            for (index, place) in table.header(in: area) { buffer.mark(place, as: .part(index)) }
        }
        buffer.draw(table, in: area)
    }
}
