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
    public func draw(in rect: Rect, of buffer: inout ScreenBuffer) {
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
