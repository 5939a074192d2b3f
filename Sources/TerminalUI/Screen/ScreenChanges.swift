/// The runs of changed cells that a terminal must write to show a new screen.
public struct ScreenChanges: Equatable, Sendable {
    /// Adjacent cells of one row.
    public struct Run: Equatable, Sendable {
        /// The first cell of the run.
        public let origin: Point
        /// The new cells.
        public let cells: [Cell]
    }

    /// Adjacent cells of one row with the same link, or with none where there was one.
    public struct Link: Equatable, Sendable {
        /// The cells.
        public let run: Run
        /// The address; nil if the cells are a link no longer.
        public let address: LinkAddress?
    }

    /// The size of the new screen.
    public let size: Size
    /// The theme to resolve the styles with.
    public let theme: Theme
    /// Whether ``runs`` contains every cell: the first screen, a new size, a new theme.
    public let isComplete: Bool
    /// The changed cells, from top to bottom.
    public let runs: [Run]
    /// The links in every row with a changed cell. They are written after ``runs``, because what writes these may write other cells too.
    public let links: [Link]
    /// The position of the cursor; nil hides it.
    public let cursor: Point?

    /// Computes the changes from `old` to `new`. Without `old`, or if the size differs, every cell is written.
    public init(from old: ScreenBuffer?, to new: ScreenBuffer, theme: Theme) {
        size = new.size
        self.theme = theme
        cursor = new.cursor
        let base = old.flatMap { $0.size == new.size ? $0 : nil }
        isComplete = base == nil
        runs = (0..<new.size.rows).flatMap { ScreenChanges.runs(row: $0, from: base, to: new) }
        links = Set(runs.map(\.origin.row)).sorted().flatMap { ScreenChanges.links(row: $0, from: base, to: new) }
    }

    private static func runs(row: Int, from old: ScreenBuffer?, to new: ScreenBuffer) -> [Run] {
        let after = Array(new.row(row))
        guard let old else { return after.isEmpty ? [] : [Run(origin: Point(column: 0, row: row), cells: after)] }
        let before = Array(old.row(row))
        var runs: [Run] = []
        var start: Int?
        for column in 0...after.count {
            let differs = column < after.count && after[column] != before[column]
            if differs {
                start = start ?? column
            } else if let from = start {
                runs.append(run(row: row, from: from, to: column, of: after))
                start = nil
            }
        }
        return runs
    }

    private static func links(row: Int, from old: ScreenBuffer?, to new: ScreenBuffer) -> [Link] {
        let after = Array(new.row(row))
        let before = old.map { Array($0.row(row)) } ?? []
        func isLost(_ column: Int) -> Bool { before.indices.contains(column) && before[column].link != nil && after[column].link == nil }
        var links: [Link] = []
        var start = 0
        for column in after.indices
        where column + 1 == after.count || after[column + 1].link != after[column].link || isLost(column + 1) != isLost(column) {
            if after[column].link != nil || isLost(column) {
                let run = run(row: row, from: start, to: column + 1, of: after)
                links.append(Link(run: run, address: after[column].link))
            }
            start = column + 1
        }
        return links
    }

    /// Extends a run to whole wide glyphs, because a terminal can only write them whole.
    private static func run(row: Int, from start: Int, to end: Int, of cells: [Cell]) -> Run {
        let first = start > 0 && cells[start].isContinuation ? start - 1 : start
        let last = end < cells.count && cells[end].isContinuation ? end + 1 : end
        return Run(origin: Point(column: first, row: row), cells: Array(cells[first..<last]))
    }
}
