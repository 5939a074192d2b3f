/// A bar that shows a proportion, such as the time left or progress.
public struct Bar: Component {
    /// The filled proportion, from 0 to 1; other values are clamped.
    public var share: Double
    /// The style of the filled part. The empty part uses the same surface.
    public var style: Style

    /// Creates a bar; `share` is clamped to 0…1.
    public init(_ share: Double, style: Style = Style(.barFilled)) {
        self.share = share.isNaN ? 0 : min(1, max(0, share))
        self.style = style
    }

    /// Draws the bar in the first row of `rect`.
    public func draw(in rect: Rect, of buffer: inout ScreenBuffer) {
        guard !rect.isEmpty else { return }
        let glyphs = buffer.glyphs
        let line = rect.row(0)
        buffer.fill(line, with: glyphs.barEmpty, style: style.with(.barEmpty))
        let steps = glyphs.eighths.count + 1
        let filled = Int((Double(rect.columns * steps) * share).rounded())
        let whole = filled / steps
        buffer.fill(Rect(column: line.left, row: line.top, columns: whole, rows: 1), with: glyphs.barFilled, style: style)
        let part = filled % steps
        // A share above 0 never looks empty.
        if part > 0 || (share > 0 && whole == 0) {
            let sign = steps == 1 ? glyphs.barFilled : glyphs.eighths[max(1, part) - 1]
            buffer.write(sign, at: Point(column: line.left + whole, row: line.top), style: style, clip: line)
        }
    }
}
