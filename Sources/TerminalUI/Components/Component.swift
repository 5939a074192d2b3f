/// A view that draws into a part of the screen. A component has no mutable state and always draws the same.
public protocol Component {
    /// Draws into `rect`, never outside it.
    func draw(in rect: Rect, into buffer: inout ScreenBuffer)
}

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
    public func draw(in rect: Rect, into buffer: inout ScreenBuffer) {
        buffer.write(text, in: rect, style: style, alignment: alignment, cut: cut)
    }
}

/// One line of spans in different styles; text that does not fit is cut.
public struct TextLine: Component {
    /// A piece of text in one style.
    public struct Span: Hashable, Sendable {
        /// The text.
        public var text: String
        /// The style of the text.
        public var style: Style
        /// The address that a click on the text opens, in a ``Document``; nil for none.
        public var link: LinkAddress?

        /// Creates a span.
        public init(_ text: String, _ style: Style = .plain) {
            self.text = text
            self.style = style
        }

        /// Creates a span on the default surface.
        public init(_ text: String, _ role: Role, _ attributes: Attributes = []) {
            self.init(text, Style(role, attributes: attributes))
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
    public func draw(in rect: Rect, into buffer: inout ScreenBuffer) {
        var rest = rect.row(0)
        let offset = alignment.offset(of: width, in: rect.columns)
        rest = rest.inset(left: offset)
        for span in spans where !rest.isEmpty {
            let end = buffer.write(span.text, in: rest, style: span.style)
            rest = rest.inset(left: end - rest.left)
        }
    }
}

/// Wrapped text of several lines. Text that does not fit is cut, and the last visible line ends in an ellipsis.
public struct Paragraph: Component {
    /// The text.
    public var text: String
    /// The style of the text.
    public var style: Style

    /// Creates a paragraph.
    public init(_ text: String, style: Style = .plain) {
        self.text = text
        self.style = style
    }

    /// Draws the lines that fit.
    public func draw(in rect: Rect, into buffer: inout ScreenBuffer) {
        guard !rect.isEmpty else { return }
        let lines = WrappedText(text, columns: rect.columns).lines
        for (index, line) in lines.prefix(rect.rows).enumerated() {
            buffer.write(line, at: Point(column: rect.left, row: rect.top + index), style: style, clip: rect)
        }
        if lines.count > rect.rows {
            let column = min(rect.right - 1, rect.left + lines[rect.rows - 1].width)
            buffer.write(buffer.glyphs.ellipsis, at: Point(column: column, row: rect.bottom - 1), style: style, clip: rect)
        }
    }
}
