import AuthModel
import TerminalUI

extension FrontDoorScreen {
    func title(in world: World) -> String { FrontDoorWords.title }
    func status(in world: World) -> String { world.isLocked ? LockWords.isLocked : Words.motto }

    func render(in world: World, area: Rect, into buffer: inout ScreenBuffer) {
        var area = area
        if let guest = world.guest {
            let parts = area.splitTop(min(2, area.rows))
            GuestBanner(name: guest.name).draw(in: parts.top, into: &buffer)
            area = parts.rest
        }
        if area.rows >= 16, area.columns >= 60, buffer.glyphs == .unicode {
            let parts = area.splitTop(Self.gate.count + 1)
            drawGate(in: parts.top, into: &buffer)
            area = parts.rest
        }
        guard let providers = world.providers else {
            var page = Document()
            page.words(FrontDoorWords.loading, .muted)
            return page.draw(in: area, into: &buffer)
        }
        if providers.isEmpty { return nothingConfigured.draw(in: area, into: &buffer) }
        drawEntries(in: area, world, into: &buffer)
    }

    private func drawEntries(in area: Rect, _ world: World, into buffer: inout ScreenBuffer) {
        let entries = Self.entries(in: world)
        let columns = [
            TableColumn("", minimum: 14, share: 3, importance: 4),
            TableColumn("", minimum: 10, share: 1, importance: 2),
            TableColumn("", minimum: 14, share: 2, importance: 1),
        ]
        let glyphs = buffer.glyphs
        let table = ListTable(columns: columns, count: entries.count, selected: selected, hasHeader: false) { index in
            let entry = entries[index]
            return [
                .spans([
                    ListTable.pointer(index == selected, glyphs),
                    TextLine.Span(
                        FrontDoorWords.entry(entry),
                        Style(entry.purpose == .signIn ? .text : .muted, attributes: index == selected ? .bold : [])),
                ]),
                .text(entry.provider.name.text, Style(.accent)),
                .text(entry.provider.address, Style(.muted)),
            ]
        }
        table.draw(in: area.inset(columns: area.columns >= 60 ? Document.margin : 0), into: &buffer)
    }

    /// What to do where no provider is configured.
    private var nothingConfigured: Document {
        var page = Document()
        page.words(FrontDoorWords.nothingConfigured, .warning)
        page.blank()
        for way in FrontDoorWords.ways {
            page.term(way.command, way.meaning, width: 28)
        }
        page.blank()
        page.words(FrontDoorWords.thenReload, .muted)
        return page
    }

    private func drawGate(in area: Rect, into buffer: inout ScreenBuffer) {
        let words: [Int: (String, Style)] = [
            1: (Words.program, Style(.title, attributes: .bold)), 2: (Words.motto, Style(.text)),
            4: (FrontDoorWords.greeting.first, Style(.muted)), 5: (FrontDoorWords.greeting.second, Style(.muted)),
        ]
        for (index, line) in Self.gate.enumerated() {
            let row = area.row(index).inset(left: Document.margin + 1)
            buffer.write(line, at: row.origin, style: Style(.border), clip: row)
            if let (text, style) = words[index] { buffer.write(text, in: row.inset(left: 18), style: style) }
        }
    }

    /// A yett: the bars pass through each other by turns.
    private static let gate = [
        "╭──┬──┬──┬──╮",
        "├──╂──┼──╂──┤",
        "│  ┃  │  ┃  │",
        "├──╂──┼──╂──┤",
        "│  ┃  │  ┃  │",
        "├──╂──┼──╂──┤",
        "╵  ╹  ╵  ╹  ╵",
    ]
}

/// Asks a guest to sign in.
struct GuestBanner {
    let name: SessionName

    func draw(in area: Rect, into buffer: inout ScreenBuffer) {
        let row = area.row(0)
        guard !row.isEmpty else { return }
        let style = Style(.info, on: .notice)
        buffer.fill(row, style: style)
        buffer.write(FrontDoorWords.guest(name), in: row.inset(columns: row.columns >= 30 ? Document.margin : 0), style: style)
    }
}
