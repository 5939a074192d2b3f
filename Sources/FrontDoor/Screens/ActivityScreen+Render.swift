import AuthModel
import TerminalUI

extension ActivityScreen {
    func title(in world: World) -> String { ActivityWords.title }

    func render(in world: World, area: Rect, into buffer: inout ScreenBuffer) {
        guard !world.activity.isEmpty else {
            var page = Document()
            page.words(ActivityWords.empty, .muted)
            return page.draw(in: area, into: &buffer)
        }
        let columns = [
            TableColumn("  " + ActivityWords.time, minimum: 10, importance: 5),
            TableColumn("", minimum: 10, importance: 1),
            TableColumn(ActivityWords.what, minimum: 14, importance: 4),
            TableColumn(ActivityWords.session, minimum: 12, share: 1, importance: 2),
            TableColumn(ActivityWords.text, minimum: 10, share: 2, importance: 3),
        ]
        let glyphs = buffer.glyphs
        let count = world.activity.count
        let table = ListTable(columns: columns, count: count, selected: selected) { index in
            let entry = world.activity[count - 1 - index]
            return [
                .spans([ListTable.pointer(index == selected, glyphs), TextLine.Span(Words.clock(entry.at), Style(.muted))]),
                .text(Words.relative(entry.at, to: world.now), Style(.muted)),
                .text(Words.activity(entry.kind), Style(entry.kind.role)),
                .text(entry.session?.description ?? "", Style(.text)),
                .text(entry.text, Style(.text)),
            ]
        }
        table.draw(in: area.inset(columns: area.columns >= 60 ? Document.margin : 0), into: &buffer)
    }
}

extension Activity.Kind {
    /// What a line of the log looks like.
    var role: Role {
        switch self {
        case .signedIn, .renewed: .success
        case .signInFailed, .renewalFailed: .danger
        case .handedOut: .info
        case .signedOut: .muted
        }
    }
}
