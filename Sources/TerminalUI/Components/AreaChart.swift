/// A chart of dots over several rows with two values in each cell, the first value at the left.
public struct AreaChart: Component, Hashable, Sendable {
    /// The values; negative ones count as zero.
    public var values: [Int]
    /// The value of the full height.
    public var top: Int
    /// The style of values above zero. Zeros use the role of a bar's empty part on the same surface.
    public var style: Style

    /// Creates a chart.
    public init(_ values: [Int], top: Int, style: Style = Style(.barFilled)) {
        self.values = values
        self.top = max(1, top)
        self.style = style
    }

    /// The number of values in a cell.
    public static let valuesInACell = 2
    /// The number of dots in the height of a cell.
    private static let dots = 4

    /// Draws the values that fit, from the left edge.
    public func draw(in rect: Rect, of buffer: inout ScreenBuffer) {
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
                buffer.write(sign, at: point, style: isEmpty ? style.with(.barEmpty) : style, clip: rect)
            }
        }
    }

    /// Returns the number of dots of a value; a value above zero is always visible.
    private func level(of value: Int, rows: Int) -> Int {
        value <= 0 ? 0 : max(1, Int((Double(min(value, top)) / Double(top) * Double(rows * Self.dots)).rounded()))
    }

    private static func base(_ glyphs: GlyphSet) -> String { glyphs == .ascii ? glyphs.sparks[0] : "⣀" }

    /// Returns the character with so many dots in its left and its right half, from the bottom.
    private static func sign(_ left: Int, _ right: Int, _ glyphs: GlyphSet) -> String {
        guard glyphs == .unicode else { return glyphs.sparks[max(left, right)] }
        let bits = [[0x40, 0x04, 0x02, 0x01], [0x80, 0x20, 0x10, 0x08]]
        let mask = bits[0].prefix(left).reduce(0, |) | bits[1].prefix(right).reduce(0, |)
        return Unicode.Scalar(UInt32(0x2800 + mask)).map { String(Character($0)) } ?? " "
    }
}
