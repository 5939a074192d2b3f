/// Text broken into lines of a number of columns, at spaces where there are any.
public struct WrappedText: Hashable, Sendable {
    /// The lines, each at most as wide as asked; a blank line of the text is an empty one.
    public let lines: [[Glyph]]

    /// - Parameters:
    ///   - columns: less than one gives no line at all.
    ///   - breaksAnywhere: breaks at the edge, spaces or not: for addresses and codes that are copied as they stand.
    public init(_ text: String, columns: Int, breaksAnywhere: Bool = false) {
        guard columns > 0 else {
            lines = []
            return
        }
        lines = SafeText.lines(text).flatMap { line in
            breaksAnywhere ? WrappedText.cut(line, columns: columns) : WrappedText.wrap(line, columns: columns)
        }
    }

    /// The lines as text.
    public var texts: [String] { lines.map(\.text) }

    private static func cut(_ glyphs: [Glyph], columns: Int) -> [[Glyph]] {
        var lines: [[Glyph]] = [[]]
        var width = 0
        // A wide glyph has no place in a single column.
        for glyph in glyphs where glyph.width <= columns {
            if width + glyph.width > columns {
                lines.append([])
                width = 0
            }
            lines[lines.count - 1].append(glyph)
            width += glyph.width
        }
        return lines
    }

    private static func wrap(_ glyphs: [Glyph], columns: Int) -> [[Glyph]] {
        var lines: [[Glyph]] = [[]]
        var width = 0
        for word in glyphs.split(separator: .space, omittingEmptySubsequences: true) {
            let length = word.width
            if width > 0, width + 1 + length <= columns {
                lines[lines.count - 1].append(.space)
                lines[lines.count - 1] += word
                width += 1 + length
                continue
            }
            // A word that is longer than a line begins on a line of its own and is broken.
            let pieces = cut(Array(word), columns: columns)
            if width > 0 { lines.append(pieces[0]) } else { lines[lines.count - 1] = pieces[0] }
            lines += pieces.dropFirst()
            width = lines[lines.count - 1].width
        }
        return lines
    }
}
