/// How much of a row or column a part of the layout wants.
public enum Extent: Hashable, Sendable {
    /// Exactly this many cells, as long as there are so many left.
    case cells(Int)
    /// This share of what the fixed parts leave. Shares of one split are compared with each other.
    case share(Int)

    /// One share.
    public static let rest = Extent.share(1)
}

extension Rect {
    /// Without `columns` at the left and right and `rows` at the top and bottom.
    public func inset(columns: Int = 0, rows: Int = 0) -> Rect {
        inset(left: columns, top: rows, right: columns, bottom: rows)
    }

    /// Without that many cells on each side; empty rather than inside out.
    public func inset(left: Int = 0, top: Int = 0, right: Int = 0, bottom: Int = 0) -> Rect {
        Rect(
            column: self.left + min(left, columns), row: self.top + min(top, rows),
            columns: columns - left - right, rows: rows - top - bottom)
    }

    /// The top `rows` and what is below them.
    public func splitTop(_ rows: Int) -> (top: Rect, rest: Rect) {
        let parts = split(rows: [.cells(rows), .rest])
        return (parts[0], parts[1])
    }

    /// The bottom `rows` and what is above them. The bottom part wins when there is too little.
    public func splitBottom(_ rows: Int) -> (rest: Rect, bottom: Rect) {
        let kept = min(max(0, rows), self.rows)
        let parts = split(rows: [.cells(self.rows - kept), .cells(kept)])
        return (parts[0], parts[1])
    }

    /// The `columns` at the left and what is right of them.
    public func splitLeft(_ columns: Int) -> (left: Rect, rest: Rect) {
        let parts = split(columns: [.cells(columns), .rest])
        return (parts[0], parts[1])
    }

    /// One rectangle for each extent, from top to bottom. Together they never exceed this one; later parts are the first to become empty.
    public func split(rows extents: [Extent]) -> [Rect] {
        var row = top
        return Rect.lengths(of: extents, in: rows).map { length in
            defer { row += length }
            return Rect(column: left, row: row, columns: columns, rows: length)
        }
    }

    /// One rectangle for each extent, from left to right, with `gap` empty columns between them.
    public func split(columns extents: [Extent], gap: Int = 0) -> [Rect] {
        let gaps = max(0, gap) * max(0, extents.count - 1)
        var column = left
        return Rect.lengths(of: extents, in: max(0, columns - gaps)).map { length in
            defer { column += length + max(0, gap) }
            return Rect(column: column, row: top, columns: length, rows: rows).intersection(self)
        }
    }

    /// A rectangle of `size` in the middle; cut to this one where it is larger.
    public func centred(_ size: Size) -> Rect {
        let columns = min(size.columns, self.columns)
        let rows = min(size.rows, self.rows)
        return Rect(column: left + (self.columns - columns) / 2, row: top + (self.rows - rows) / 2, columns: columns, rows: rows)
    }

    /// The row at `index` of this rectangle, counted from its top; empty when there is no such row.
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
                // Dividing what is left, not the whole, hands out the rounding too: nothing is lost at the end.
                length = sharesLeft > 0 ? min(freeLeft * max(0, share) / sharesLeft, left) : 0
                freeLeft -= length
                sharesLeft -= max(0, share)
            }
            left -= length
            return length
        }
    }
}
