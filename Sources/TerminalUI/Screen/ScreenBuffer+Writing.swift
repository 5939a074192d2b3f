extension ScreenBuffer {
    /// Writes `text` on one line from `point` on, cut at the edge of `clip` (default: the grid).
    ///
    /// - Returns: the column after the last written cell, or `point.column` if no cell was written.
    @discardableResult
    public mutating func write(_ text: String, at point: Point, style: Style = .plain, clip: Rect? = nil) -> Int {
        let area = (clip ?? bounds).intersection(bounds)
        guard point.row >= area.top, point.row < area.bottom, point.column < area.right else { return point.column }
        // At most one glyph per column is visible, but text left of the edge uses up glyphs too.
        let limit = area.right - min(point.column, area.left) + 1
        return write(SafeText.glyphs(text, limit: limit + SafeText.markLimit), at: point, style: style, clip: clip)
    }

    /// Writes glyphs on one line, like ``write(_:at:style:clip:)``.
    @discardableResult
    public mutating func write(_ glyphs: some Sequence<Glyph>, at point: Point, style: Style = .plain, clip: Rect? = nil) -> Int {
        let area = (clip ?? bounds).intersection(bounds)
        guard point.row >= area.top, point.row < area.bottom else { return point.column }
        var column = point.column
        for glyph in glyphs {
            guard column + glyph.width <= area.right else { break }
            if column >= area.left { put(glyph, at: Point(column: column, row: point.row), style: style) }
            column += glyph.width
        }
        return column
    }

    /// Writes `text` into the first row of `rect`; text that is too long ends in an ellipsis.
    @discardableResult
    public mutating func write(_ text: String, in rect: Rect, style: Style = .plain, alignment: Alignment = .left) -> Int {
        guard !rect.isEmpty else { return rect.left }
        let fitted = FittedText(text, columns: rect.columns, ellipsis: glyphs.ellipsis)
        let column = rect.left + alignment.offset(of: fitted.width, in: rect.columns)
        return write(fitted.glyphs, at: Point(column: column, row: rect.top), style: style, clip: rect)
    }

    /// Fills `rect` with spaces of `style`.
    public mutating func fill(_ rect: Rect, style: Style) { fill(rect, with: " ", style: style) }

    /// Fills `rect` with the first glyph of `text`, if that is one cell wide.
    public mutating func fill(_ rect: Rect, with text: String, style: Style) {
        guard let glyph = SafeText.glyphs(text, limit: 1).first, glyph.width == 1 else { return }
        let area = rect.intersection(bounds)
        guard !area.isEmpty else { return }
        for row in area.top..<area.bottom {
            for column in area.left..<area.right { put(glyph, at: Point(column: column, row: row), style: style) }
        }
    }

    /// Draws a component into `rect`.
    public mutating func draw(_ component: some Component, in rect: Rect) { component.draw(in: rect, of: &self) }
}
