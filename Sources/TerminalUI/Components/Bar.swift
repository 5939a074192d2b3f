/// A thin bar that shows a proportion, such as the time left or progress.
public struct Bar: Component, Hashable, Sendable {
    /// The filled proportion, from 0 to 1; other values are clamped.
    public var share: Double
    /// A proportion that is marked, such as the time at which something happens; nil marks none.
    public var mark: Double?
    /// The style of the filled part. The empty part uses the same surface.
    public var style: Style

    /// Creates a bar; `share` and `mark` are clamped to 0…1.
    public init(_ share: Double, mark: Double? = nil, style: Style = Style(.barFilled)) {
        self.share = Bar.clamped(share)
        self.mark = mark.map(Bar.clamped)
        self.style = style
    }

    private static func clamped(_ value: Double) -> Double { value.isNaN ? 0 : min(1, max(0, value)) }

    /// Draws the bar in the first row of `rect`.
    public func draw(in rect: Rect, of buffer: inout ScreenBuffer) {
        guard !rect.isEmpty else { return }
        let glyphs = buffer.glyphs
        let line = rect.row(0)
        buffer.fill(line, with: glyphs.barEmpty, style: style.with(.barEmpty))
        let steps = glyphs.barHalf == nil ? 1 : 2
        // A share above 0 never looks empty.
        let filled = max(share > 0 ? 1 : 0, Int((Double(rect.columns * steps) * share).rounded()))
        let whole = filled / steps
        buffer.fill(Rect(column: line.left, row: line.top, columns: whole, rows: 1), with: glyphs.barFilled, style: style)
        if filled % steps > 0, let half = glyphs.barHalf {
            buffer.write(half, at: Point(column: line.left + whole, row: line.top), style: style, clip: line)
        }
        if let mark {
            let column = min(line.columns - 1, Int(Double(line.columns) * mark))
            let style = column < whole ? style : style.with(.barEmpty)
            buffer.write(glyphs.barMark, at: Point(column: line.left + column, row: line.top), style: style, clip: line)
        }
    }
}
