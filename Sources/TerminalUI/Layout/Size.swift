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
