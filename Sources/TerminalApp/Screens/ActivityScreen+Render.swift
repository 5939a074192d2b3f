import AuthModel
import Localization
import TerminalAppModel
import TerminalUI

extension ActivityScreen {
    func title(in model: AppModel) -> String { ActivityWords.title }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        guard !model.activity.isEmpty else {
            var page = Document()
            page.words(ActivityWords.empty, .muted)
            return page.draw(in: area, into: &buffer)
        }
        let (top, area) = area.splitTop(isFiltering || !filter.isEmpty ? 2 : 0)
        drawFilter(in: top.row(0).inset(columns: top.columns >= 60 ? Document.margin : 0), model, into: &buffer)
        guard !matches.isEmpty else {
            let row = area.inset(columns: area.columns >= 60 ? Document.margin : 0)
            buffer.write(ActivityWords.noMatches(filter.text), in: row, style: Style(.warning))
            return
        }
        let isNarrow = area.columns < 30
        let columns =
            isNarrow
            ? [TableColumn("  " + ActivityWords.what, minimum: 1, share: 1)]
            : [
                TableColumn("  " + ActivityWords.time, minimum: 10, importance: 5),
                TableColumn("", minimum: 10, importance: 1),
                TableColumn(ActivityWords.what, minimum: 14, importance: 4),
                TableColumn(ActivityWords.session, minimum: 20, share: 1, importance: 3),
                TableColumn(ActivityWords.text, minimum: 24, share: 3, importance: 2),
            ]
        let glyphs = buffer.glyphs
        let table = ListTable(columns: columns, count: matches.count, selected: selected) { index in
            let entry = model.activity[matches[index]]
            let pointer = ListTable.pointer(index == selected, glyphs)
            guard !isNarrow else { return [.spans([pointer, TextLine.Span(Words.activity(entry.kind), Style(entry.kind.role))])] }
            return [
                .spans([pointer, TextLine.Span(Words.clock(entry.at), Style(.muted))]),
                .text(Words.relative(entry.at, to: model.now), Style(.muted)),
                .text(Words.activity(entry.kind), Style(entry.kind.role)),
                .text(entry.session?.description ?? "", Style(.text)),
                .text(entry.details, Style(.text)),
            ]
        }
        let (rest, bottom) = area.splitBottom(area.rows >= 8 ? 3 : 0)
        table.draw(in: rest.inset(columns: area.columns >= 60 ? Document.margin : 0), into: &buffer)
        drawWhole(in: bottom.inset(top: 1), model, into: &buffer)
    }

    private func drawFilter(in row: Rect, _ model: AppModel, into buffer: inout ScreenBuffer) {
        guard !row.isEmpty else { return }
        FilterLine(content: filter, placeholder: PickerWords.typeToFilter, isFocused: isFiltering).draw(in: row, into: &buffer)
        let found = SessionsWords.found(matches.count, of: model.activity.count)
        buffer.write(found, in: row.inset(left: min(row.columns, 44)), style: Style(.muted), alignment: .right)
    }

    /// Draws the selected line's session and details in full, because the table rarely has space for the reason of a failure.
    private func drawWhole(in area: Rect, _ model: AppModel, into buffer: inout ScreenBuffer) {
        guard let entry = selection(in: model), !area.isEmpty else { return }
        buffer.draw(
            Paragraph(
                [entry.session?.description ?? "", entry.details].filter { !$0.isEmpty }.joined(separator: ": "), style: Style(.muted)),
            in: area.inset(columns: area.columns >= 60 ? 2 * Document.margin : area.columns >= 30 ? Document.margin : 0))
    }
}

extension Activity {
    /// What happened; empty if the name of the kind says it.
    var details: String {
        let text = message.text()
        return text == Words.activity(kind) ? "" : text
    }
}

extension Activity.Kind {
    /// The style of a log line.
    var role: Role {
        switch self {
        case .signedIn, .renewed: .success
        case .signInFailed, .renewalFailed: .danger
        case .tokenRefused, .consentedByCaller: .warning
        case .issued, .consented: .info
        case .signedOut: .muted
        }
    }
}
