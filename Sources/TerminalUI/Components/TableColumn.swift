/// A column of a ``Table``.
public struct TableColumn: Hashable, Sendable {
    /// The title in the header.
    public var title: String
    /// The minimum width in cells.
    public var minimum: Int
    /// The column's share of the remaining width; 0 keeps the minimum.
    public var share: Int
    /// The alignment of the content.
    public var alignment: Alignment
    /// Labels of a scale, drawn in the header in place of the title.
    public var ticks: [Tick] = []
    /// The importance. The least important columns are dropped first when the width is too small. The most important one always stays.
    public var importance: Int

    /// A label of a scale.
    public struct Tick: Hashable, Sendable {
        /// The text.
        public var text: String
        /// The place on the scale, from 0 at the left edge to 1 at the right one.
        public var share: Double

        /// Creates a label.
        public init(_ text: String, at share: Double) {
            self.text = text
            self.share = share
        }
    }

    /// Creates a column; `minimum` is at least 1, and `share` at least 0.
    public init(_ title: String, minimum: Int, share: Int = 0, alignment: Alignment = .left, importance: Int = 0) {
        self.title = title
        self.minimum = max(1, minimum)
        self.share = max(0, share)
        self.alignment = alignment
        self.importance = importance
    }
}
