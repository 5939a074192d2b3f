/// A column of a ``Table``.
public struct TableColumn: Hashable, Sendable {
    public var title: String
    /// The fewest cells it makes sense with.
    public var minimum: Int
    /// Its part of what is left over; 0 stays at the minimum.
    public var share: Int
    public var alignment: Alignment
    /// Columns of the lowest importance are the first to go when there is too little room. The most important one always stays.
    public var importance: Int

    public init(_ title: String, minimum: Int, share: Int = 0, alignment: Alignment = .left, importance: Int = 0) {
        self.title = title
        self.minimum = max(1, minimum)
        self.share = max(0, share)
        self.alignment = alignment
        self.importance = importance
    }
}
