/// The position of a cell, counted from the top left corner. It may lie outside the screen: writing there does nothing.
public struct Point: Hashable, Sendable {
    public var column: Int
    public var row: Int

    public init(column: Int, row: Int) {
        self.column = column
        self.row = row
    }

    public static let zero = Point(column: 0, row: 0)
}
