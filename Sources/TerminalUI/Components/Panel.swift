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
    public func draw(in rect: Rect, into buffer: inout ScreenBuffer) {
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

/// The position of a page within longer content.
public struct ScrollBar: Component {
    /// The total number of rows.
    public var count: Int
    /// The first visible row.
    public var first: Int
    /// The background.
    public var surface: Surface

    /// Creates a scroll bar.
    public init(count: Int, first: Int, surface: Surface = .screen) {
        self.count = count
        self.first = first
        self.surface = surface
    }

    /// Draws the scroll bar; draws nothing if all rows fit.
    public func draw(in rect: Rect, into buffer: inout ScreenBuffer) {
        guard !rect.isEmpty, count > rect.rows else { return }
        let glyphs = buffer.glyphs
        buffer.fill(rect, with: glyphs.scrollTrack, style: Style(.barEmpty, on: surface))
        let length = max(1, rect.rows * rect.rows / count)
        let hidden = count - rect.rows
        let start = (rect.rows - length) * min(max(0, first), hidden) / hidden
        let thumb = Rect(column: rect.left, row: rect.top + start, columns: rect.columns, rows: length)
        buffer.fill(thumb, with: glyphs.scrollThumb, style: Style(.muted, on: surface))
    }
}

/// An activity indicator. Its frame depends only on a given time; it reads no clock.
public enum Spinner {
    /// The duration of a frame in milliseconds.
    public static let frameMilliseconds: Int64 = 120

    /// Returns the frame for a time, in milliseconds from any origin.
    public static func frame(at milliseconds: Int64, glyphs: GlyphSet = .unicode) -> String {
        let pictures = glyphs.spinner
        let step = Int(truncatingIfNeeded: milliseconds / frameMilliseconds)
        return pictures[((step % pictures.count) + pictures.count) % pictures.count]
    }
}
