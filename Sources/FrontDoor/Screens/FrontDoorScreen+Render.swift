import AuthModel
import TerminalUI

extension FrontDoorScreen {
    func title(in world: World) -> String { FrontDoorWords.title }
    func status(in world: World) -> String {
        if world.isLocked { return LockWords.isLocked }
        // The gate says it already.
        return Self.parts(of: Frame.body(world.size), in: world).gate.isEmpty ? Words.motto : ""
    }

    /// Where the guests' banner, the gate and the ways in stand; the first two are empty where they are not shown.
    private static func parts(of area: Rect, in world: World) -> (banner: Rect, gate: Rect, rest: Rect) {
        let (banner, body) = area.splitTop(world.guest == nil ? 0 : 2)
        let hasRoom = body.rows >= 16 && body.columns >= 60
        let (gate, rest) = body.splitTop(hasRoom ? GatePicture.rows + 1 : 0)
        return (banner, gate, rest)
    }

    func render(in world: World, area: Rect, into buffer: inout ScreenBuffer) {
        let (banner, gate, area) = Self.parts(of: area, in: world)
        if let guest = world.guest { GuestBanner(guest.name, in: world).draw(in: banner, into: &buffer) }
        buffer.draw(GatePicture(), in: gate)
        guard world.providers != nil else {
            var page = Document()
            if world.couldNotRead {
                page.words(Words.sentence(FrontDoorWords.notRead), .warning)
            } else {
                page.words(FrontDoorWords.loading, .muted)
            }
            return page.draw(in: area, into: &buffer)
        }
        drawEntries(in: area, world, into: &buffer)
    }

    private func drawEntries(in area: Rect, _ world: World, into buffer: inout ScreenBuffer) {
        let entries = Self.entries(in: world)
        let isNarrow = area.columns < 36
        let columns =
            isNarrow
            ? [TableColumn("", minimum: 1, share: 1)]
            : [
                TableColumn("", minimum: max(12, min(24, Self.longestName(in: world))), share: 1, importance: 3),
                TableColumn("", minimum: max(18, min(46, Self.longestLabel(in: world))), share: 2, importance: 4),
                TableColumn("", minimum: 14, share: 3, importance: 1),
            ]
        let glyphs = buffer.glyphs
        let table = ListTable(columns: columns, count: entries.count, selected: selected, hasHeader: false) { index in
            let entry = entries[index]
            let pointer = ListTable.pointer(index == selected, glyphs)
            let bold: Attributes = index == selected ? .bold : []
            guard !isNarrow else {
                return [.spans([pointer, TextLine.Span(SigningInWords.title(entry.request), Style(attributes: bold))])]
            }
            let isFirst = index == 0 || entries[index - 1].provider.name != entry.provider.name
            return [
                .spans([pointer, TextLine.Span(entry.provider.name.text, Style(isFirst ? .text : .muted, attributes: bold))]),
                .text(FrontDoorWords.entry(entry), Style(entry.purpose == .signIn ? .text : .muted, attributes: bold)),
                .text(isFirst ? entry.provider.address : "", Style(.muted)),
            ]
        }
        // Further apart, the three would not be read as one line.
        let place = area.inset(right: max(0, area.columns - Self.mostColumns))
        table.draw(in: place.inset(columns: place.columns >= 60 ? Document.margin : 0), into: &buffer)
    }

    private static let mostColumns = 120

    /// How wide the longest name is, with the pointer before it.
    private static func longestName(in world: World) -> Int {
        ((world.providers ?? []).lazy.map { SafeText.width(of: $0.name.text) }.max() ?? 0) + 2
    }

    /// How wide the longest label is that a provider has of its own: one that is cut off says nothing.
    private static func longestLabel(in world: World) -> Int {
        (world.providers ?? []).lazy.flatMap { [$0.labels.signIn, $0.labels.signUp] }.compactMap(\.self).map(SafeText.width).max() ?? 0
    }
}

/// Asks a guest to sign in.
struct GuestBanner {
    let text: String

    init(_ name: SessionName, in world: World) {
        text = FrontDoorWords.guest(name, prompt: world.provider(name.provider)?.labels.guestPrompt)
    }

    func draw(in area: Rect, into buffer: inout ScreenBuffer) {
        let row = area.row(0)
        guard !row.isEmpty else { return }
        let style = Style(.info, on: .notice)
        buffer.fill(row, style: style)
        buffer.write(text, in: row.inset(columns: row.columns >= 30 ? Document.margin : 0), style: style)
    }
}
