import TerminalUI

/// Lines of text that are laid out for a width, and scrolled where they are too many.
struct Document: Equatable, Sendable {
    /// A piece of text in one style.
    struct Span: Equatable, Sendable {
        var text: String
        var style: Style

        init(_ text: String, _ role: Role = .text, _ attributes: Attributes = []) {
            self.text = text
            style = Style(role, attributes: attributes)
        }
    }

    /// What a document is made of.
    enum Block: Equatable, Sendable {
        case blank
        /// Words, wrapped; rows after the first begin `hanging` columns further in.
        case words([Span], indent: Int, hanging: Int)
        /// One row that is cut where it is too long.
        case row([Span], indent: Int)
        /// Spans, and one that stands at a column of its own, further left where there is too little room.
        case timed([Span], Span, column: Int)
        /// Text over the whole width from the first column on, without any margin: what a mouse marks is what can be pasted.
        case verbatim(String, Style)
        /// The share of something that is left, then words.
        case bar(Double, Span, Style)
        /// A term and what it stands for, which is wrapped in a column of its own.
        case term(String, [Span], width: Int, name: Role = .muted)
        /// A field of a form behind its label.
        case input(String, Input, labelWidth: Int, isFocused: Bool)
        /// A masked field.
        case field(SecretField, isFocused: Bool)
    }

    /// Columns kept free at both sides, where there is room.
    static let margin = 2

    var blocks: [Block] = []
    /// What a press on a block means, by its number.
    private(set) var targets: [Int: ScreenTarget.Meaning] = [:]
    /// Whether the sides are kept free.
    var hasMargin = true

    /// Says what a press on the newest block means.
    mutating func mark(as meaning: ScreenTarget.Meaning) { targets[blocks.count - 1] = meaning }

    mutating func blank() { if let last = blocks.last, last != .blank { blocks.append(.blank) } }
    mutating func heading(_ text: String) {
        blank()
        blocks.append(.row([Span(text, .title, .bold)], indent: 0))
    }
    mutating func words(_ text: String, _ role: Role = .text, indent: Int = 0) {
        blocks.append(.words([Span(text, role)], indent: indent, hanging: 0))
    }
    mutating func words(_ spans: [Span], indent: Int = 0, hanging: Int = 0) {
        blocks.append(.words(spans, indent: indent, hanging: hanging))
    }
    mutating func row(_ spans: Span..., indent: Int = 0) { blocks.append(.row(spans, indent: indent)) }
    mutating func timed(_ spans: [Span], _ time: Span, column: Int) { blocks.append(.timed(spans, time, column: column)) }
    mutating func term(_ name: String, _ value: String, _ role: Role = .text, width: Int) {
        blocks.append(.term(name, [Span(value, role)], width: width))
    }
    mutating func term(_ name: String, _ spans: [Span], width: Int, as role: Role = .muted) {
        blocks.append(.term(name, spans, width: width, name: role))
    }
    mutating func verbatim(_ text: String, _ style: Style) { blocks.append(.verbatim(text, style)) }
    /// One row of a picture that is drawn light on dark. `isReversed`: on a ground that is light, it is dark characters that must be
    /// exchanged.
    mutating func picture(_ line: String, isReversed: Bool) {
        blocks.append(.row([Span(line, .text, isReversed ? .reverse : [])], indent: 0))
    }
    mutating func field(_ field: SecretField, isFocused: Bool = true) { blocks.append(.field(field, isFocused: isFocused)) }
    mutating func input(_ label: String, _ input: Input, labelWidth: Int, isFocused: Bool) {
        blocks.append(.input(label, input, labelWidth: labelWidth, isFocused: isFocused))
    }
    mutating func bar(_ share: Double, _ words: String, _ role: Role, bar: Role) {
        blocks.append(.bar(share, Span(words, role), Style(bar)))
    }

    /// How many scroll positions there are: one more than the rows that do not fit.
    func scrollPositions(in size: Size) -> Int {
        max(0, rows(columns: size.columns).count - size.rows) + 1
    }
}
