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
