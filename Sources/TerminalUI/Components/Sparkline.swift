/// A row of small bars that shows how a number changed, scaled to the largest one.
public struct Sparkline: Component, Hashable, Sendable {
    /// The numbers from left to right; negative ones count as 0.
    public var values: [Int]
    /// The style of the bars.
    public var style: Style

    /// Creates a row of bars.
    public init(_ values: [Int], style: Style = Style(.barFilled)) {
        self.values = values
        self.style = style
    }

    /// Draws one cell for each number into the first row of `rect`, the last numbers if not all fit.
    public func draw(in rect: Rect, of buffer: inout ScreenBuffer) {
        buffer.write(Self.text(Array(values.suffix(rect.columns)), glyphs: buffer.glyphs), in: rect, style: style)
    }

    /// Returns one character for each number. A number above 0 is always higher than the track.
    public static func text(_ values: [Int], glyphs: GlyphSet) -> String {
        let levels = glyphs.sparkline
        let most = values.max() ?? 0
        return values.map { value in
            guard value > 0, most > 0 else { return levels[0] }
            let rest = levels.count - 1
            return levels[1 + (value * rest - 1) / most]
        }.joined()
    }
}
