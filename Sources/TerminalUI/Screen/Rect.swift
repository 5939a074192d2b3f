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

    /// Returns the rectangle without `columns` at the left and right and `rows` at the top and bottom.
    public func inset(columns: Int = 0, rows: Int = 0) -> Rect {
        inset(left: columns, top: rows, right: columns, bottom: rows)
    }

    /// Returns the rectangle without that many cells on each side; never a negative size.
    public func inset(left: Int = 0, top: Int = 0, right: Int = 0, bottom: Int = 0) -> Rect {
        Rect(
            column: self.left + min(left, columns), row: self.top + min(top, rows),
            columns: columns - left - right, rows: rows - top - bottom)
    }

    /// Returns the top `rows` and the area below them.
    public func splitTop(_ rows: Int) -> (top: Rect, rest: Rect) {
        let parts = split(rows: [.cells(rows), .rest])
        return (parts[0], parts[1])
    }

    /// Returns the bottom `rows` and the area above them. The bottom part has priority if the space is too small.
    public func splitBottom(_ rows: Int) -> (rest: Rect, bottom: Rect) {
        let kept = min(max(0, rows), self.rows)
        let parts = split(rows: [.cells(self.rows - kept), .cells(kept)])
        return (parts[0], parts[1])
    }

    /// Returns the `columns` at the left and the area to the right of them.
    public func splitLeft(_ columns: Int) -> (left: Rect, rest: Rect) {
        let parts = split(columns: [.cells(columns), .rest])
        return (parts[0], parts[1])
    }

    /// Returns one rectangle per extent, from top to bottom. Together they never exceed this one; later parts become empty first.
    public func split(rows extents: [Extent]) -> [Rect] {
        var row = top
        return Rect.lengths(of: extents, in: rows).map { length in
            defer { row += length }
            return Rect(column: left, row: row, columns: columns, rows: length)
        }
    }

    /// Returns one rectangle per extent, from left to right, with `gap` empty columns between them.
    public func split(columns extents: [Extent], gap: Int = 0) -> [Rect] {
        let gaps = max(0, gap) * max(0, extents.count - 1)
        var column = left
        return Rect.lengths(of: extents, in: max(0, columns - gaps)).map { length in
            defer { column += length + max(0, gap) }
            return Rect(column: column, row: top, columns: length, rows: rows).intersection(self)
        }
    }

    /// Returns the row at `index`, counted from the top; empty if there is no such row.
    public func row(_ index: Int) -> Rect {
        guard index >= 0, index < rows else { return Rect(column: left, row: top, columns: 0, rows: 0) }
        return Rect(column: left, row: top + index, columns: columns, rows: 1)
    }

    private static func lengths(of extents: [Extent], in total: Int) -> [Int] {
        var free = total
        var shares = 0
        for extent in extents {
            switch extent {
            case .cells(let count): free -= min(max(0, count), free)
            case .share(let share): shares += max(0, share)
            }
        }
        var left = total
        var sharesLeft = shares
        var freeLeft = free
        return extents.map { extent in
            let length: Int
            switch extent {
            case .cells(let count):
                length = min(max(0, count), left)
            case .share(let share):
                // Dividing the remaining cells, not the total, also distributes the rounding: no cell is left over.
                length = sharesLeft > 0 ? min(freeLeft * max(0, share) / sharesLeft, left) : 0
                freeLeft -= length
                sharesLeft -= max(0, share)
            }
            left -= length
            return length
        }
    }
}

/// The length of a row or column in a layout split.
public enum Extent: Hashable, Sendable {
    /// Exactly this many cells, or as many as are left.
    case cells(Int)
    /// This share of the cells that fixed parts leave, relative to the other shares of the split.
    case share(Int)

    /// One share.
    public static let rest = Extent.share(1)
}

/// The position of a cell, counted from the top left corner. It may lie outside the screen: writing there does nothing.
public struct Point: Hashable, Sendable {
    /// The column, from 0.
    public var column: Int
    /// The row, from 0.
    public var row: Int

    /// Creates a point.
    public init(column: Int, row: Int) {
        self.column = column
        self.row = row
    }

    /// The top left corner.
    public static let zero = Point(column: 0, row: 0)
}

/// A width and a height in cells; never negative.
public struct Size: Hashable, Sendable {
    /// The width in columns.
    public let columns: Int
    /// The height in rows.
    public let rows: Int

    /// Creates a size; negative numbers become zero.
    public init(columns: Int, rows: Int) {
        self.columns = max(0, columns)
        self.rows = max(0, rows)
    }

    /// The size without cells.
    public static let zero = Size(columns: 0, rows: 0)

    /// Whether the size contains no cell.
    public var isEmpty: Bool { columns == 0 || rows == 0 }
}
