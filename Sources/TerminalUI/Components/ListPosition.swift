/// The selected row and the first visible row of a list. The rows themselves are stored elsewhere.
public struct ListPosition: Hashable, Sendable {
    /// The selected row; 0 in an empty list.
    public private(set) var selected: Int
    /// The first visible row. Drawing changes it as little as possible; see ``first(count:rows:)``.
    public private(set) var first: Int

    /// Creates a position; negative numbers become zero.
    public init(selected: Int = 0, first: Int = 0) {
        self.selected = max(0, selected)
        self.first = max(0, first)
    }

    /// Moves the selection, clamped to a list of `count` rows.
    public mutating func move(by step: Int, count: Int) {
        let (target, overflow) = selected.addingReportingOverflow(step)
        select(overflow ? (step < 0 ? 0 : count - 1) : target, count: count)
    }

    /// Selects a row, clamped to a list of `count` rows.
    public mutating func select(_ row: Int, count: Int) { selected = max(0, min(row, count - 1)) }

    /// Handles the standard list keys: arrows, `j` and `k`, Home and End, `g` and `G`, page up and down.
    ///
    /// - Parameter rows: the number of rows in a page.
    /// - Returns: whether the key was one of these.
    public mutating func handle(_ key: Key, count: Int, rows: Int) -> Bool {
        let page = max(1, rows - 1)
        switch key {
        case .up, .character("k"): move(by: -1, count: count)
        case .down, .character("j"): move(by: 1, count: count)
        case .home, .character("g"): select(0, count: count)
        case .end, .character("G"): select(count - 1, count: count)
        case .pageUp, .control("b"): move(by: -page, count: count)
        case .pageDown, .control("f"): move(by: page, count: count)
        default: return false
        }
        return true
    }

    /// Scrolls as little as possible so that the selected row is on a page of `rows`.
    public mutating func scroll(count: Int, rows: Int) {
        select(selected, count: count)
        first = first(count: count, rows: rows)
    }

    /// Returns the first visible row for a page of `rows` in a list of `count`.
    public func first(count: Int, rows: Int) -> Int {
        guard rows > 0, count > 0 else { return 0 }
        let selected = min(self.selected, count - 1)
        let reachable = min(max(first, selected - rows + 1), selected)
        return max(0, min(reachable, count - rows))
    }
}
