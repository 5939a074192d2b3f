/// One line of spans in different styles; text that does not fit is cut.
public struct TextLine: Component {
    /// A piece of text in one style.
    public struct Span: Hashable, Sendable {
        /// The text.
        public var text: String
        /// The style of the text.
        public var style: Style

        /// Creates a span.
        public init(_ text: String, _ style: Style = .plain) {
            self.text = text
            self.style = style
        }
    }

    /// The spans from left to right.
    public var spans: [Span]
    /// The alignment of a line that is shorter than its area.
    public var alignment: Alignment

    /// Creates a line.
    public init(_ spans: [Span], alignment: Alignment = .left) {
        self.spans = spans
        self.alignment = alignment
    }

    /// The width of all spans in cells.
    public var width: Int { spans.reduce(0) { $0 + SafeText.width(of: $1.text) } }

    /// Draws the line in the first row of `rect`.
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
