import AuthModel
import TerminalUI

extension PaletteScreen {
    func title(in world: World) -> String { PaletteWords.title }
    func status(in world: World) -> String { PaletteWords.found(matches.count) }

    func render(in world: World, area: Rect, into buffer: inout ScreenBuffer) {
        let parts = area.inset(columns: area.columns >= 30 ? Document.margin : 0).split(rows: [.cells(area.rows < 8 ? 1 : 2), .rest])
        FilterLine(content: filter, placeholder: PaletteWords.placeholder).draw(in: parts[0], into: &buffer)
        guard !matches.isEmpty else {
            buffer.write(Words.sentence(PickerWords.nothingFits), in: parts[1], style: Style(.warning))
            return
        }
        let glyphs = buffer.glyphs
        var columns = [TableColumn("", minimum: 20, share: 3, importance: 3), TableColumn("", minimum: 14, importance: 2)]
        if area.columns >= 110 { columns.append(TableColumn("", minimum: 24, share: 2, importance: 1)) }
        let table = ListTable(columns: columns, count: matches.count, selected: selected, hasHeader: false) { index in
            guard let entry = entry(at: index) else { return [] }
            let style = Style(entry.obstacle == nil ? .text : .muted, attributes: index == selected ? .bold : [])
            return [
                .spans([ListTable.pointer(index == selected, glyphs), TextLine.Span(entry.title, style)]),
                .text(entry.keys.map { $0.label(glyphs) }.joined(separator: " "), Style(.key)),
                .text(entry.obstacle.map(HelpWords.notNow) ?? "", Style(.muted)),
            ]
        }
        table.draw(in: parts[1], into: &buffer)
    }
}
