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
