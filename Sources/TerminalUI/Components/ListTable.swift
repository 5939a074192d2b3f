/// A table that keeps the selected row visible: as near to the middle as possible, or on a page that stays until the selection leaves it.
package struct ListTable {
    let columns: [TableColumn]
    let count: Int
    let selected: Int
    let hasHeader: Bool
    /// Whether a click on a row selects it in this list.
    let isClickable: Bool
    /// The first row of the page; nil keeps the selected row in the middle.
    package var first: Int?
    /// The background.
    package var surface = Surface.screen
    /// Whether the table has the keyboard focus.
    package var isFocused = true
    /// Whether a click on a column's title is recorded, as the part with the column's index.
    package var marksHeader = false
    /// The background of rows that are highlighted for a moment; nil for the others.
    package var rowSurface: (Int) -> Surface? = { _ in nil }
    /// Returns the number that a click on a row selects; nil for a row that cannot be selected, such as a title.
    package var clicked: (Int) -> Int? = { $0 }
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
        let visible =
            first.map { ListWindow.page(from: $0, count: count, selected: selected, rows: rows) }
            ?? ListWindow.visible(count: count, selected: selected, rows: rows)
        for (offset, index) in visible.enumerated() where isClickable {
            guard let row = clicked(index) else { continue }
            buffer.mark(Rect(column: area.left, row: area.bottom - rows + offset, columns: area.columns, rows: 1), as: .row(row))
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

/// The selected row and the first visible row of a list. The rows themselves are stored elsewhere.
public struct ListPosition: Hashable, Sendable {
    /// The selected row; 0 in an empty list.
    public let selected: Int
    /// The first visible row. Drawing changes it as little as possible; see ``first(count:rows:)``.
    public let first: Int

    /// Creates a position; negative numbers become zero.
    public init(selected: Int = 0, first: Int = 0) {
        self.selected = max(0, selected)
        self.first = max(0, first)
    }

    /// Returns the first visible row for a page of `rows` in a list of `count`.
    public func first(count: Int, rows: Int) -> Int {
        guard rows > 0, count > 0 else { return 0 }
        let selected = min(self.selected, count - 1)
        let reachable = min(max(first, selected - rows + 1), selected)
        return max(0, min(reachable, count - rows))
    }
}

/// A movement in a list or on a page.
package enum Movement: Hashable, Sendable, CaseIterable {
    /// To the row above.
    case up
    /// To the row below.
    case down
    /// Up by a page.
    case pageUp
    /// Down by a page.
    case pageDown
    /// To the first row.
    case first
    /// To the last row.
    case last
    /// To the next row, and from the last to the first, as Tab moves between buttons.
    case next
    /// To the previous row, and from the first to the last.
    case previous

    /// Returns the index after the movement from `index` in a list of `count`, with `page` visible rows; 0 for an empty list.
    package func from(_ index: Int, count: Int, page: Int) -> Int {
        let last = max(0, count - 1)
        let step = max(1, page - 1)
        let target =
            switch self {
            case .up: index - 1
            case .down: index + 1
            case .pageUp: index - step
            case .pageDown: index + step
            case .first: 0
            case .last: last
            case .next: index >= last ? 0 : index + 1
            case .previous: index <= 0 ? last : index - 1
            }
        return min(max(0, target), last)
    }
}

/// The visible part of a list.
package enum ListWindow {
    /// Returns the visible rows, with `selected` in the middle where possible.
    ///
    /// It depends on the selection alone, so the selection is visible after every resize.
    package static func visible(count: Int, selected: Int, rows: Int) -> Range<Int> {
        guard count > 0, rows > 0 else { return 0..<0 }
        let top = min(max(0, selected - rows / 2), max(0, count - rows))
        return top..<min(count, top + rows)
    }

    /// Returns the visible rows of a list that is turned by half a page when the selection comes near to an end of the page. While it does
    /// not, a move of the selection changes two rows.
    ///
    /// - Parameter first: the first row of the page before.
    package static func page(from first: Int, count: Int, selected: Int, rows: Int) -> Range<Int> {
        guard count > 0, rows > 0 else { return 0..<0 }
        let last = max(0, count - rows)
        let top = min(max(0, first), last)
        // The rows beyond the selection show where it goes.
        let margin = min(2, (rows - 1) / 2)
        let isAbove = selected < top + margin && top > 0
        let isBelow = selected >= top + rows - margin && top < last
        guard isAbove || isBelow else { return top..<min(count, top + rows) }
        let turned = min(max(0, isAbove ? selected - rows * 3 / 4 : selected - rows / 4), last)
        return turned..<min(count, turned + rows)
    }
}
