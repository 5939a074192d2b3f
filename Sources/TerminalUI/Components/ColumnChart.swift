/// Columns over several rows that show how a number changed over time, the newest value on the right.
public struct ColumnChart: Component, Hashable, Sendable {
    /// The values from the oldest to the newest; negative ones count as zero.
    public var values: [Int]
    /// The style of values above zero. Zeros use the role of a bar's empty part on the same surface.
    public var style: Style

    /// Creates a chart.
    public init(_ values: [Int], style: Style = Style(.barFilled)) {
        self.values = values
        self.style = style
    }

    /// The value of the full height. Small numbers look small: a single use is a quarter of it.
    public var top: Int { max(values.max() ?? 0, 4) }

    /// Returns how many cells wide each value is: all the same, and at least one.
    public func width(in columns: Int) -> Int { max(1, columns / max(1, values.count)) }

    /// Draws the newest values that fit, from the left edge if all fit. Wide columns leave a gap between each other.
    public func draw(in rect: Rect, of buffer: inout ScreenBuffer) {
        guard !rect.isEmpty, !values.isEmpty else { return }
        let width = width(in: rect.columns)
        let sparks = buffer.glyphs.sparks
        let steps = sparks.count - 1
        let top = Double(top)
        for (index, value) in values.suffix(rect.columns / width).enumerated() {
            // A value above zero is always visible.
            let level = value <= 0 ? 0 : max(1, Int((Double(value) / top * Double(rect.rows * steps)).rounded(.up)))
            let cells = max(1, width - 1)
            for row in 0..<rect.rows {
                let height = min(steps, max(0, level - row * steps))
                guard height > 0 || row == 0 else { break }
                let place = Rect(column: rect.left + index * width, row: rect.bottom - 1 - row, columns: cells, rows: 1)
                buffer.fill(place, with: sparks[height], style: height == 0 ? style.with(.barEmpty) : style)
            }
        }
    }
}
