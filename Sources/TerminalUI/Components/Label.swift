/// One line of text; text that does not fit ends in an ellipsis.
public struct Label: Component {
    public var text: String
    public var style: Style
    public var alignment: Alignment
    public var cut: FittedText.Cut

    public init(_ text: String, style: Style = .plain, alignment: Alignment = .left, cut: FittedText.Cut = .end) {
        self.text = text
        self.style = style
        self.alignment = alignment
        self.cut = cut
    }

    public func draw(in rect: Rect, of buffer: inout ScreenBuffer) {
        guard !rect.isEmpty else { return }
        let fitted = FittedText(text, columns: rect.columns, cut: cut, ellipsis: buffer.glyphs.ellipsis)
        let column = rect.left + alignment.offset(of: fitted.width, in: rect.columns)
        buffer.write(fitted.glyphs, at: Point(column: column, row: rect.top), style: style, clip: rect)
    }
}
