/// Text cut to a number of columns; an ellipsis marks the cut.
public struct FittedText: Hashable, Sendable {
    /// The part that is removed from text that is too long.
    public enum Cut: Hashable, Sendable {
        /// The end of the text.
        case end
        /// For URLs and identifiers, which are recognised by both ends.
        case middle
    }

    /// The glyphs that fit, including the ellipsis.
    public let glyphs: [Glyph]
    /// The width in cells; at most the requested columns.
    public let width: Int

    /// Fits a text into `columns` cells.
    public init(_ text: String, columns: Int, cut: Cut = .end, ellipsis: String = "…") {
        self.init(SafeText.glyphs(text), columns: columns, cut: cut, ellipsis: ellipsis)
    }

    init(_ all: [Glyph], columns: Int, cut: Cut, ellipsis: String) {
        let columns = max(0, columns)
        let mark = SafeText.glyphs(ellipsis)
        if all.width <= columns {
            glyphs = all
        } else if mark.width >= columns {
            glyphs = mark.prefix(columns: columns)
        } else if cut == .end {
            glyphs = all.prefix(columns: columns - mark.width) + mark
        } else {
            let free = columns - mark.width
            let head = all.prefix(columns: free - free / 2)
            let tail = all.reversed().prefix(columns: free / 2).reversed()
            glyphs = head + mark + tail
        }
        width = glyphs.width
    }

    /// The fitted text.
    public var text: String { glyphs.text }
}
