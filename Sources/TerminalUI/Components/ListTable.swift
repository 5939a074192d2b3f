/// A table that keeps the selected row visible, as near to the middle as possible.
package struct ListTable {
    let columns: [TableColumn]
    let count: Int
    let selected: Int
    let hasHeader: Bool
    /// Whether a click on a row selects it in this list.
    let isClickable: Bool
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
        buffer.draw(
            Table(
                columns: columns, count: count, position: ListPosition(selected: selected, first: visible.lowerBound), hasHeader: hasHeader,
                row: row),
            in: area)
    }
}
