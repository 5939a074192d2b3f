/// Text of several lines, wrapped. What does not fit below is cut, and the last line that is shown ends in an ellipsis.
public struct Paragraph: Component {
    public var text: String
    public var style: Style
    /// Breaks at the edge, spaces or not: for addresses that are copied as they stand.
    public var breaksAnywhere: Bool
    /// How many lines are scrolled away at the top.
    public var offset: Int

    public init(_ text: String, style: Style = .plain, breaksAnywhere: Bool = false, offset: Int = 0) {
        self.text = text
        self.style = style
        self.breaksAnywhere = breaksAnywhere
        self.offset = offset
    }

    /// The rows it takes at a width.
    public func rows(columns: Int) -> Int { WrappedText(text, columns: columns, breaksAnywhere: breaksAnywhere).lines.count }

    public func draw(in rect: Rect, of buffer: inout ScreenBuffer) {
        guard !rect.isEmpty else { return }
        let lines = WrappedText(text, columns: rect.columns, breaksAnywhere: breaksAnywhere).lines.dropFirst(max(0, offset))
        for (index, line) in lines.prefix(rect.rows).enumerated() {
            buffer.write(line, at: Point(column: rect.left, row: rect.top + index), style: style, clip: rect)
        }
        if lines.count > rect.rows {
            let column = min(rect.right - 1, rect.left + lines[lines.startIndex + rect.rows - 1].width)
            buffer.write(buffer.glyphs.ellipsis, at: Point(column: column, row: rect.bottom - 1), style: style, clip: rect)
        }
    }
}
