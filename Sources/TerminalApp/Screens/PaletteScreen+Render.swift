import AuthModel
import TerminalAppModel
import TerminalUI

extension PaletteScreen {
    func title(in model: AppModel) -> String { PaletteWords.title }
    func status(in model: AppModel) -> String { PaletteWords.found(matches.count) }

    var floats: Bool { true }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        // In its box, the palette is on the panel's surface, and has its margin.
        let isBoxed = area != Frame.body(buffer.size)
        let surface: Surface = isBoxed ? .panel : .screen
        let margin = !isBoxed && area.columns >= 30 ? Document.margin : 0
        let parts = area.inset(columns: margin).split(rows: [.cells(area.rows < 8 ? 1 : 2), .rest])
        FilterLine(content: filter, placeholder: PaletteWords.placeholder, surface: surface).draw(in: parts[0], into: &buffer)
        guard !matches.isEmpty else {
            buffer.write(Words.sentence(PickerWords.noMatches), in: parts[1], style: Style(.warning, on: surface))
            return
        }
        let glyphs = buffer.glyphs
        let columns = [
            TableColumn("", minimum: 20, share: 1, importance: 3), TableColumn("", minimum: 9, alignment: .right, importance: 2),
        ]
        var table = ListTable(columns: columns, count: matches.count, selected: selected, hasHeader: false) { index in
            guard let entry = entry(at: index, in: model) else { return [] }
            return [
                .spans([ListTable.pointer(index == selected, glyphs)] + texts(of: entry, isSelected: index == selected)),
                .text(entry.keys.prefix(2).map { $0.label(glyphs) }.joined(separator: " "), Style(.key)),
            ]
        }
        table.surface = surface
        table.draw(in: parts[1], into: &buffer)
    }

    /// The columns of the verb, and a space.
    private static let verbColumns = 21

    /// Returns the verb and its explanation, or why it does not work now; for an entry without a verb, the title.
    private func texts(of entry: Entry, isSelected: Bool) -> [TextLine.Span] {
        let style = Style(entry.obstacle == nil ? .text : .muted, attributes: isSelected ? .bold : [])
        let obstacle = TextLine.Span(entry.obstacle.map { " (\(HelpWords.notNow($0)))" } ?? "", Style(.muted))
        guard let verb = entry.verb else { return highlighted(Words.capitalized(entry.title), style) + [obstacle] }
        let gap = String(repeating: " ", count: max(1, Self.verbColumns - SafeText.width(of: verb)))
        // The explanation shows the letters only if the verb does not have them.
        let isInVerb = FuzzyMatch(filter.text, in: verb) != nil
        let name = highlighted(Words.capitalized(verb), style) + [TextLine.Span(gap, style)]
        // Why it does not work now is more useful than what it would do.
        if entry.obstacle != nil { return name + [TextLine.Span(String(obstacle.text.dropFirst()), obstacle.style)] }
        return name
            + (isInVerb ? [TextLine.Span(entry.title, Style(.muted))] : highlighted(entry.title, Style(.muted)))
    }

    /// Returns a title with the letters that match.
    private func highlighted(_ title: String, _ style: Style) -> [TextLine.Span] {
        guard !filter.text.isEmpty, let match = FuzzyMatch(filter.text, in: title) else { return [TextLine.Span(title, style)] }
        let positions = Set(match.positions)
        var spans: [TextLine.Span] = []
        var wasMatched: Bool?
        for (index, character) in title.enumerated() {
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
