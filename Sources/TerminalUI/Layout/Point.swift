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
