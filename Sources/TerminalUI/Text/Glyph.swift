/// One unit of the screen: a character with its combining marks, one or two cells wide.
///
/// A glyph is the unit by which a terminal's cursor advances, which is not always a Unicode grapheme cluster: a spacing vowel sign has its
/// own cell here. Only ``SafeText`` makes glyphs, so the text of every glyph is safe to write to a terminal.
public struct Glyph: Hashable, Sendable {
    /// The scalars: one with a width, then at most ``SafeText/markLimit`` combining marks, or an emoji sequence.
    public let text: String
    /// The number of cells: 1 or 2.
    public let width: Int

    init(text: String, width: Int) {
        self.text = text
        self.width = width
    }

    /// A space, one cell wide.
    public static let space = Glyph(text: " ", width: 1)
    /// The replacement for a refused character.
    public static let replacement = Glyph(text: "\u{FFFD}", width: 1)
}

extension [Glyph] {
    /// Returns the first glyphs, as many as fit into a number of columns.
    func prefix(columns: Int) -> [Glyph] {
        var width = 0
        return Array(
            prefix { glyph in
                width += glyph.width
                return width <= columns
            })
    }
}

extension Sequence<Glyph> {
    /// The total width in cells.
    public var width: Int { reduce(0) { $0 + $1.width } }

    /// The glyphs' text, joined.
    public var text: String { reduce(into: "") { $0 += $1.text } }
}
