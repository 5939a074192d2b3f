import TerminalUI

/// A table whose marked row is always in sight, as near to the middle as the list allows.
struct ListTable {
    let columns: [TableColumn]
    let count: Int
    let selected: Int
    var hasHeader = true
    let row: (Int) -> [Table.Content]

    func draw(in area: Rect, into buffer: inout ScreenBuffer) {
        let rows = hasHeader && area.rows > 1 ? area.rows - 1 : area.rows
        let visible = ListWindow.visible(count: count, selected: selected, rows: rows)
        buffer.draw(
            Table(
                columns: columns, count: count, position: ListPosition(selected: selected, first: visible.lowerBound), hasHeader: hasHeader,
                row: row),
            in: area)
    }
}
