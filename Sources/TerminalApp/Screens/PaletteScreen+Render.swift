import AuthModel
import TerminalAppModel
import TerminalUI

extension PaletteScreen {
    func title(in model: AppModel) -> String { PaletteWords.title }
    func status(in model: AppModel) -> String { PaletteWords.found(matches.count) }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        // On a very wide screen, an action and its key would be too far apart to read as one line.
        let place = area.inset(right: max(0, area.columns - Self.maximumColumns))
        let parts = place.inset(columns: place.columns >= 30 ? Document.margin : 0).split(rows: [.cells(area.rows < 8 ? 1 : 2), .rest])
        FilterLine(content: filter, placeholder: PaletteWords.placeholder).draw(in: parts[0], into: &buffer)
        guard !matches.isEmpty else {
            buffer.write(Words.sentence(PickerWords.noMatches), in: parts[1], style: Style(.warning))
            return
        }
        let glyphs = buffer.glyphs
        let columns = [TableColumn("", minimum: 20, share: 1, importance: 3), TableColumn("", minimum: 14, importance: 2)]
        let table = ListTable(columns: columns, count: matches.count, selected: selected, hasHeader: false) { index in
            guard let entry = entry(at: index, in: model) else { return [] }
            let style = Style(entry.obstacle == nil ? .text : .muted, attributes: index == selected ? .bold : [])
            return [
                .spans(
                    [ListTable.pointer(index == selected, glyphs)] + highlighted(entry.title, style)
                        + [TextLine.Span(entry.obstacle.map { " (\(HelpWords.notNow($0)))" } ?? "", Style(.muted))]),
                .text(entry.keys.map { $0.label(glyphs) }.joined(separator: " "), Style(.key)),
            ]
        }
        table.draw(in: parts[1], into: &buffer)
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

    private static let maximumColumns = 110
}
