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
    public func draw(in rect: Rect, into buffer: inout ScreenBuffer) {
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
public struct Sparkline: Hashable, Sendable {
    /// The values from the oldest to the newest; negative ones count as zero.
    public var values: [Int]
    /// The style of values above zero. Zeros use the role of a bar's empty part on the same surface.
    public var style: Style

    /// Creates a sparkline.
    public init(_ values: [Int], style: Style = Style(.barFilled)) {
        self.values = values
        self.style = style
    }

    /// Returns the columns as styled text, for the cell of a table, relative to the highest value. A value above zero never looks like
    /// zero, and small numbers look small: a column has full height only from as many as there are heights.
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

    private static func levels(of values: [Int], highest: Int) -> [Int] {
        let most = Double(max(values.max() ?? 0, highest))
        return values.map { $0 <= 0 ? 0 : max(1, Int((Double($0) / most * Double(highest)).rounded(.up))) }
    }
}

/// A chart of dots over several rows with two values in each cell, the first value at the left.
public struct AreaChart: Component, Hashable, Sendable {
    /// The values; negative ones count as zero.
    public var values: [Int]
    /// The value of the full height.
    public var top: Int
    /// The style of values above zero. Zeros use the role of a bar's empty part on the same surface.
    public var style: Style
    /// Whether the colour changes with the height, from ``Tone/height(_:)`` 0 in the lowest row to the top of the scale in the highest.
    public var isShaded: Bool

    /// Creates a chart.
    public init(_ values: [Int], top: Int, style: Style = Style(.barFilled), isShaded: Bool = false) {
        self.values = values
        self.top = max(1, top)
        self.style = style
        self.isShaded = isShaded
    }

    /// The number of values in a cell.
    public static let valuesInACell = 2
    /// The number of dots in the height of a cell.
    private static let dots = 4

    /// Draws the values that fit, from the left edge.
    public func draw(in rect: Rect, into buffer: inout ScreenBuffer) {
        guard !rect.isEmpty else { return }
        for column in 0..<min(rect.columns, (values.count + 1) / Self.valuesInACell) {
            let pair = values.dropFirst(Self.valuesInACell * column).prefix(Self.valuesInACell).map { level(of: $0, rows: rect.rows) }
            let (left, right) = (pair[0], pair.count > 1 ? pair[1] : 0)
            for row in 0..<rect.rows {
                let heights = [left, right].map { min(Self.dots, max(0, $0 - row * Self.dots)) }
                let isEmpty = heights == [0, 0]
                guard !isEmpty || row == 0 else { break }
                let point = Point(column: rect.left + column, row: rect.bottom - 1 - row)
                let sign = isEmpty ? Self.base(buffer.glyphs) : Self.sign(heights[0], heights[1], buffer.glyphs)
                buffer.write(sign, at: point, style: isEmpty ? style.with(.barEmpty) : self.style(of: row, of: rect.rows), clip: rect)
            }
        }
    }

    /// Returns the style of a row, counted from the bottom.
    private func style(of row: Int, of rows: Int) -> Style {
        isShaded ? style.atHeight(row, of: rows - 1) : style
    }

    /// Returns the number of dots of a value; a value above zero is always visible.
    private func level(of value: Int, rows: Int) -> Int {
        value <= 0 ? 0 : max(1, Int((Double(min(value, top)) / Double(top) * Double(rows * Self.dots)).rounded()))
    }

    /// Returns a column of the full height of a cell, for a legend.
    public static func full(_ glyphs: GlyphSet) -> String { sign(dots, dots, glyphs) }

    private static func base(_ glyphs: GlyphSet) -> String { glyphs == .ascii ? glyphs.sparks[0] : "⣀" }

    /// Returns the character with so many dots in its left and its right half, from the bottom.
    private static func sign(_ left: Int, _ right: Int, _ glyphs: GlyphSet) -> String {
        guard glyphs == .unicode else { return glyphs.sparks[max(left, right)] }
        let bits = [[0x40, 0x04, 0x02, 0x01], [0x80, 0x20, 0x10, 0x08]]
        let mask = bits[0].prefix(left).reduce(0, |) | bits[1].prefix(right).reduce(0, |)
        return Unicode.Scalar(UInt32(0x2800 + mask)).map { String(Character($0)) } ?? " "
    }
}
