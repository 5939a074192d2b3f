/// One line of text; text that does not fit ends in an ellipsis.
public struct Label: Component {
    /// The text.
    public var text: String
    /// The style of the text.
    public var style: Style
    /// The alignment of text that is shorter than the line.
    public var alignment: Alignment
    /// The part that is removed from text that is too long.
    public var cut: FittedText.Cut

    /// Creates a label.
    public init(_ text: String, style: Style = .plain, alignment: Alignment = .left, cut: FittedText.Cut = .end) {
        self.text = text
        self.style = style
        self.alignment = alignment
        self.cut = cut
    }

    /// Draws the text in the first row of `rect`.
    public func draw(in rect: Rect, of buffer: inout ScreenBuffer) {
        guard !rect.isEmpty else { return }
        let fitted = FittedText(text, columns: rect.columns, cut: cut, ellipsis: buffer.glyphs.ellipsis)
        let column = rect.left + alignment.offset(of: fitted.width, in: rect.columns)
        buffer.write(fitted.glyphs, at: Point(column: column, row: rect.top), style: style, clip: rect)
    }
}
