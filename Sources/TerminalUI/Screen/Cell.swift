/// One cell of the screen.
public struct Cell: Hashable, Sendable {
    /// The text of the cell; empty in the right half of a wide glyph.
    public let text: String
    /// The width of the glyph in cells: 1 or 2; 0 for the right half of a wide glyph.
    public let width: Int
    /// The style of the cell.
    public var style: Style

    /// Creates the cell of a glyph; a wide glyph also needs a continuation cell.
    public init(_ glyph: Glyph, style: Style) {
        self.init(text: glyph.text, width: glyph.width, style: style)
    }

    private init(text: String, width: Int, style: Style) {
        self.text = text
        self.width = width
        self.style = style
    }

    /// Returns an empty cell.
    public static func blank(_ style: Style) -> Cell { Cell(.space, style: style) }

    /// Returns the right half of a wide glyph.
    public static func continuation(_ style: Style) -> Cell { Cell(text: "", width: 0, style: style) }

    /// Whether this is the right half of a wide glyph.
    public var isContinuation: Bool { width == 0 }
}
