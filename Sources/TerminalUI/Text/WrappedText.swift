/// Text wrapped to a number of columns, at spaces where possible.
public struct WrappedText: Hashable, Sendable {
    /// The lines, each at most as wide as requested; an empty line of the text stays empty.
    public let lines: [[Glyph]]

    /// Wraps text.
    ///
    /// - Parameter columns: the maximum width; less than one gives no lines.
    public init(_ text: String, columns: Int) {
        lines = columns > 0 ? SafeText.lines(text).flatMap { WrappedText.wrap($0, columns: columns) } : []
    }

    /// The lines as text.
    public var texts: [String] { lines.map(\.text) }

    private static func cut(_ glyphs: [Glyph], columns: Int) -> [[Glyph]] {
        var lines: [[Glyph]] = [[]]
        var width = 0
        // A wide glyph does not fit in a single column.
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
            // A word longer than a line starts on its own line and is broken.
            let pieces = cut(Array(word), columns: columns)
            if width > 0 { lines.append(pieces[0]) } else { lines[lines.count - 1] = pieces[0] }
            lines += pieces.dropFirst()
            width = lines[lines.count - 1].width
        }
        return lines
    }
}

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

/// The position of text within a wider space.
public enum Alignment: Hashable, Sendable {
    /// The two alignments.
    case left, right

    func offset(of width: Int, in columns: Int) -> Int {
        switch self {
        case .left: 0
        case .right: max(0, columns - width)
        }
    }
}
