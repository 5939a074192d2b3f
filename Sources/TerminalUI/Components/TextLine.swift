/// One line of spans in different styles; text that does not fit is cut.
public struct TextLine: Component {
    public struct Span: Hashable, Sendable {
        public var text: String
        public var style: Style

        public init(_ text: String, _ style: Style = .plain) {
            self.text = text
            self.style = style
        }
    }

    public var spans: [Span]
    public var alignment: Alignment

    public init(_ spans: [Span], alignment: Alignment = .left) {
        self.spans = spans
        self.alignment = alignment
    }

    /// The width of all spans in cells.
    public var width: Int { spans.reduce(0) { $0 + SafeText.width(of: $1.text) } }

    public func draw(in rect: Rect, of buffer: inout ScreenBuffer) {
        var rest = rect.row(0)
        let offset = alignment.offset(of: width, in: rect.columns)
        rest = rest.inset(left: offset)
        for span in spans where !rest.isEmpty {
            let end = buffer.write(span.text, in: rest, style: span.style)
            rest = rest.inset(left: end - rest.left)
        }
    }
}
