/// What stands in one place of the grid: a character with its marks, one or two cells wide.
///
/// A glyph is what a terminal advances by, which is not always what Unicode calls a grapheme cluster: a spacing vowel sign has
/// a cell of its own here. Only ``SafeText`` makes glyphs, so the text of every glyph is safe to write to a terminal.
public struct Glyph: Hashable, Sendable {
    /// The scalars: one that takes space, then at most ``SafeText/markLimit`` that do not, or an emoji sequence.
    public let text: String
    /// The number of cells: 1 or 2.
    public let width: Int

    init(text: String, width: Int) {
        self.text = text
        self.width = width
    }

    /// A blank cell.
    public static let space = Glyph(text: " ", width: 1)
    /// What stands for a character that was refused.
    public static let replacement = Glyph(text: "\u{FFFD}", width: 1)
}

extension Sequence<Glyph> {
    /// The number of cells together.
    public var width: Int { reduce(0) { $0 + $1.width } }

    /// The text of all of them.
    public var text: String { reduce(into: "") { $0 += $1.text } }
}
