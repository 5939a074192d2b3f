import TerminalUI

/// A text layout for any width, which can be scrolled.
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

    /// A block of a document.
    enum Block: Equatable, Sendable {
        case blank
        /// Wrapped text; rows after the first are indented by `hanging` more columns.
        case words([Span], indent: Int, hanging: Int)
        /// One row; cut if it is too long.
        case row([Span], indent: Int)
        /// Spans, and one more at a fixed column, which moves to the left if the row is too short.
        case timed([Span], Span, column: Int)
        /// Text over the whole width without a margin, so that a selection with the mouse can be pasted unchanged.
        case verbatim(String, Style)
        /// A bar for a proportion, then text.
        case bar(Double, Span, Style)
        /// A term, and its value wrapped in a second column.
        case term(String, [Span], width: Int, name: Role = .muted)
        /// A form field after its label.
        case input(String, Input, labelWidth: Int, isFocused: Bool)
        /// A masked field.
        case field(SecretField, isFocused: Bool)
    }

    /// The margin in columns on both sides, where there is space.
    static let margin = 2

    var blocks: [Block] = []
    /// The meaning of a click on a block, by its index.
    private(set) var targets: [Int: ScreenTarget.Meaning] = [:]
    /// Whether there is a margin.
    var hasMargin = true

    /// Sets the meaning of a click on the last block.
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
    /// Adds one row of a picture made for a dark background. `isReversed`: swaps the colours, for a light background.
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

    /// Returns the number of scroll positions: one more than the rows that do not fit.
    func scrollPositions(in size: Size) -> Int {
        max(0, rows(columns: size.columns).count - size.rows) + 1
    }
}
