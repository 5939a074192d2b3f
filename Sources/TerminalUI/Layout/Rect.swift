/// A rectangle of cells. Its size is never negative; it may lie partly or wholly outside the screen.
public struct Rect: Hashable, Sendable {
    /// The top left cell.
    public var origin: Point
    /// The width and height.
    public var size: Size

    /// Creates a rectangle from its top left cell and its size.
    public init(origin: Point, size: Size) {
        self.origin = origin
        self.size = size
    }

    /// Creates a rectangle; negative lengths become zero.
    public init(column: Int, row: Int, columns: Int, rows: Int) {
        self.init(origin: Point(column: column, row: row), size: Size(columns: columns, rows: rows))
    }

    /// Creates a rectangle for a whole screen of `size`.
    public init(_ size: Size) { self.init(origin: .zero, size: size) }

    /// The width in columns.
    public var columns: Int { size.columns }
    /// The height in rows.
    public var rows: Int { size.rows }
    /// The first column.
    public var left: Int { origin.column }
    /// The first row.
    public var top: Int { origin.row }
    /// The column after the last one.
    public var right: Int { origin.column + size.columns }
    /// The row after the last one.
    public var bottom: Int { origin.row + size.rows }
    /// Whether the rectangle contains no cell.
    public var isEmpty: Bool { size.isEmpty }

    /// Returns whether the rectangle contains the cell at `point`.
    public func contains(_ point: Point) -> Bool {
        point.column >= left && point.column < right && point.row >= top && point.row < bottom
    }

    /// Returns the cells that both rectangles contain; empty if there are none.
    public func intersection(_ other: Rect) -> Rect {
        let column = max(left, other.left)
        let row = max(top, other.top)
        return Rect(column: column, row: row, columns: min(right, other.right) - column, rows: min(bottom, other.bottom) - row)
    }
}
