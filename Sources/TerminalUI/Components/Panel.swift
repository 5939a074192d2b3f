/// A box with a title. ``content(of:)`` returns its inner area.
public struct Panel: Component {
    /// The title in the top line; empty for none.
    public var title: String
    /// The key that opens what the box shows, in the top line at the right; empty for none.
    public var key: String
    /// The background.
    public var surface: Surface
    /// Whether the panel has the keyboard focus.
    public var isFocused: Bool

    /// Creates a panel.
    public init(_ title: String = "", key: String = "", surface: Surface = .panel, isFocused: Bool = false) {
        self.title = title
        self.key = key
        self.surface = surface
        self.isFocused = isFocused
    }

    /// Returns the area inside the lines and one column of padding; the whole area if there is no space for lines.
    public func content(of rect: Rect) -> Rect {
        hasFrame(rect) ? rect.inset(columns: rect.columns >= 8 ? 2 : 1, rows: 1) : rect
    }

    /// Draws the background, the lines and the title.
    public func draw(in rect: Rect, of buffer: inout ScreenBuffer) {
        let plain = Style(.text, on: surface)
        buffer.fill(rect, style: plain)
        guard hasFrame(rect) else { return }
        let line = Style(isFocused ? .focus : .border, on: surface)
        let glyphs = buffer.glyphs
        buffer.fill(Rect(column: rect.left, row: rect.top, columns: rect.columns, rows: 1), with: glyphs.horizontal, style: line)
        buffer.fill(Rect(column: rect.left, row: rect.bottom - 1, columns: rect.columns, rows: 1), with: glyphs.horizontal, style: line)
        buffer.fill(Rect(column: rect.left, row: rect.top, columns: 1, rows: rect.rows), with: glyphs.vertical, style: line)
        buffer.fill(Rect(column: rect.right - 1, row: rect.top, columns: 1, rows: rect.rows), with: glyphs.vertical, style: line)
        let corners = [
            (glyphs.topLeft, rect.left, rect.top), (glyphs.topRight, rect.right - 1, rect.top),
            (glyphs.bottomLeft, rect.left, rect.bottom - 1), (glyphs.bottomRight, rect.right - 1, rect.bottom - 1),
        ]
        for (sign, column, row) in corners { buffer.write(sign, at: Point(column: column, row: row), style: line) }
        guard !title.isEmpty, rect.columns > 6 else { return }
        let place = Rect(column: rect.left + 2, row: rect.top, columns: rect.columns - 4, rows: 1)
        buffer.draw(TextLine([.init(" \(title) ", Style(.title, on: surface))]), in: place)
        let hint = " \(key) "
        let free = place.columns - SafeText.width(of: " \(title) ")
        guard !key.isEmpty, SafeText.width(of: hint) + 2 <= free else { return }
        buffer.write(hint, in: place, style: Style(.accent, on: surface), alignment: .right)
    }

    private func hasFrame(_ rect: Rect) -> Bool { rect.columns >= 3 && rect.rows >= 3 }
}
