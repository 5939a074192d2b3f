/// A row of small columns that shows how a number changed over time, the newest value on the right.
public struct Sparkline: Component, Hashable, Sendable {
    /// The values from the oldest to the newest; negative ones count as zero.
    public var values: [Int]
    /// The style of values above zero. Zeros use the role of a bar's empty part on the same surface.
    public var style: Style

    /// Creates a sparkline.
    public init(_ values: [Int], style: Style = Style(.barFilled)) {
        self.values = values
        self.style = style
    }

    /// Returns the columns of the values, relative to the highest one. A value above zero never looks like zero, and small numbers look small:
    /// a column has full height only from as many as there are heights.
    public static func text(_ values: [Int], glyphs: GlyphSet) -> String {
        let sparks = glyphs.sparks
        return levels(of: values, highest: sparks.count - 1).map { sparks[$0] }.joined()
    }

    /// Returns the columns as styled text, for the cell of a table.
    public func spans(_ glyphs: GlyphSet) -> [TextLine.Span] {
        let sparks = glyphs.sparks
        var spans: [TextLine.Span] = []
        for level in Self.levels(of: values, highest: sparks.count - 1) {
            let style = level == 0 ? style.with(.barEmpty) : style
            if spans.last?.style == style {
                spans[spans.count - 1].text += sparks[level]
            } else {
                spans.append(TextLine.Span(sparks[level], style))
            }
        }
        return spans
    }

    /// Draws the newest values that fit in the first row of `rect`.
    public func draw(in rect: Rect, of buffer: inout ScreenBuffer) {
        guard !rect.isEmpty else { return }
        buffer.draw(TextLine(Sparkline(values.suffix(rect.columns), style: style).spans(buffer.glyphs)), in: rect)
    }

    private static func levels(of values: [Int], highest: Int) -> [Int] {
        let most = Double(max(values.max() ?? 0, highest))
        return values.map { $0 <= 0 ? 0 : max(1, Int((Double($0) / most * Double(highest)).rounded(.up))) }
    }
}
