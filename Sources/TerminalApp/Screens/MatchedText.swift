import TerminalUI

/// A text with the letters highlighted that match a typed pattern.
enum MatchedText {
    /// Returns the text's spans; one span if nothing is typed or the pattern does not match.
    static func spans(_ text: String, _ pattern: String, _ style: Style) -> [TextLine.Span] {
        guard !pattern.isEmpty, let match = FuzzyMatch(pattern, in: text) else { return [TextLine.Span(text, style)] }
        let positions = Set(match.positions)
        var spans: [TextLine.Span] = []
        var wasMatched: Bool?
        for (index, character) in text.enumerated() {
            let isMatched = positions.contains(index)
            if wasMatched == isMatched, let last = spans.popLast() {
                spans.append(TextLine.Span(last.text + String(character), last.style))
            } else {
                spans.append(TextLine.Span(String(character), isMatched ? Style(.accent, attributes: .bold) : style))
            }
            wasMatched = isMatched
        }
        return spans
    }
}
