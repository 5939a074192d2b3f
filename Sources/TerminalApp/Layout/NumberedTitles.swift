import TerminalUI

/// The numbered titles of the parts of a page, one of which is visible. A title's number is the key that shows its part.
struct NumberedTitles {
    let names: [String]
    /// The index of the visible part.
    let selected: Int

    /// Returns the default key of the part at an index.
    static func key(_ index: Int) -> Key { .character(Character("\(index + 1)")) }

    /// The columns of all titles with their numbers.
    var columns: Int { names.reduce(0) { $0 + SafeText.width(of: $1) + 4 } }

    /// Returns the place of the titles in the first line of a box; nil if it is too narrow.
    ///
    /// - Parameter reserved: the columns that the box's own title needs, with the lines around it.
    func place(inFrameOf box: Rect, beside reserved: Int) -> Rect? {
        guard !names.isEmpty, !box.isEmpty, box.columns >= columns + reserved else { return nil }
        return box.row(0).inset(left: box.columns - 2 - columns, right: 2)
    }

    /// Draws the titles. A click on one shows its part. In a narrow row, those of hidden parts are only their numbers.
    func draw(in row: Rect, on surface: Surface = .screen, into buffer: inout ScreenBuffer) {
        guard !row.isEmpty else { return }
        let isNarrow = row.columns < columns
        var column = row.left
        for (index, name) in names.enumerated() {
            let isShown = index == selected
            let ground: Surface = isShown ? .selection : surface
            let title = isNarrow && !isShown ? "" : " " + name
            let line = TextLine([
                TextLine.Span(" \(index + 1)", Style(.key, on: ground)),
                TextLine.Span(title + " ", Style(isShown ? .title : .muted, on: ground)),
            ])
            let place = Rect(column: column, row: row.top, columns: line.width, rows: 1).intersection(row)
            buffer.draw(line, in: place)
            buffer.mark(place, as: .key(Self.key(index)))
            column = place.right
        }
    }
}
