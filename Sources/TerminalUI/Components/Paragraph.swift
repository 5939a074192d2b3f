/// Wrapped text of several lines. Text that does not fit is cut, and the last visible line ends in an ellipsis.
public struct Paragraph: Component {
    /// The text.
    public var text: String
    /// The style of the text.
    public var style: Style
    /// Whether to break lines at the edge instead of at spaces: for URLs that the user copies.
    public var breaksAnywhere: Bool
    /// The number of lines scrolled off the top.
    public var offset: Int

    /// Creates a paragraph.
    public init(_ text: String, style: Style = .plain, breaksAnywhere: Bool = false, offset: Int = 0) {
        self.text = text
        self.style = style
        self.breaksAnywhere = breaksAnywhere
        self.offset = offset
    }

    /// Returns the number of rows that the text needs at a width.
    public func rows(columns: Int) -> Int { WrappedText(text, columns: columns, breaksAnywhere: breaksAnywhere).lines.count }

    /// Draws the visible lines.
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
