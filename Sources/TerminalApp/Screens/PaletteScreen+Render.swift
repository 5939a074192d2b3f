import AuthModel
import TerminalAppModel
import TerminalUI

extension PaletteScreen {
    func title(in model: AppModel) -> String { PaletteWords.title }
    func status(in model: AppModel) -> String { PaletteWords.found(matches.count) }

    var floats: Bool { true }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        let list = FloatingList(
            filter: filter, placeholder: PaletteWords.placeholder, rightColumns: 9, count: matches.count, selected: selected)
        list.draw(in: area, into: &buffer) { index, glyphs in
            guard let entry = entry(at: index, in: model) else { return [] }
            return [
                .spans([ListTable.pointer(index == selected, glyphs)] + texts(of: entry, isSelected: index == selected)),
                .text(entry.keys.prefix(2).map { $0.label(glyphs) }.joined(separator: " "), Style(.key)),
            ]
        }
    }

    /// The columns of the verb, and a space.
    private static let verbColumns = 21

    /// Returns the verb and its explanation, or why it does not work now; for an entry without a verb, the title.
    private func texts(of entry: Entry, isSelected: Bool) -> [TextLine.Span] {
        let style = Style(entry.obstacle == nil ? .text : .muted, attributes: isSelected ? .bold : [])
        let obstacle = TextLine.Span(entry.obstacle.map { " (\(HelpWords.notNow($0)))" } ?? "", Style(.muted))
        guard let verb = entry.verb else { return MatchedText.spans(Words.capitalized(entry.title), filter.text, style) + [obstacle] }
        let gap = String(repeating: " ", count: max(1, Self.verbColumns - SafeText.width(of: verb)))
        // The explanation shows the letters only if the verb does not have them.
        let isInVerb = FuzzyMatch(filter.text, in: verb) != nil
        let name = MatchedText.spans(Words.capitalized(verb), filter.text, style) + [TextLine.Span(gap, style)]
        // Why it does not work now is more useful than what it would do.
        if entry.obstacle != nil { return name + [TextLine.Span(String(obstacle.text.dropFirst()), obstacle.style)] }
        return name
            + (isInVerb ? [TextLine.Span(entry.title, Style(.muted))] : MatchedText.spans(entry.title, filter.text, Style(.muted)))
    }
}
