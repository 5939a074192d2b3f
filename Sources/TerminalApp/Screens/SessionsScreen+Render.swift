import AuthModel
import Localization
import TerminalAppModel
import TerminalUI

extension SessionsScreen {
    func title(in model: AppModel) -> String { SessionsWords.title }
    func status(in model: AppModel) -> String {
        if model.isLocked { return LockWords.isLocked }
        // A narrow list shows only a glyph for the state, so the state's name is here.
        guard Self.isNarrow(model.size.columns), let session = selection(in: model) else { return "" }
        return Words.state(model.state(of: session))
    }

    private static func isNarrow(_ columns: Int) -> Bool { columns < 48 }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        var area = area
        if let guest = model.guest {
            let parts = area.splitTop(min(2, area.rows))
            GuestBanner(guest.name, in: model).draw(in: parts.top, into: &buffer)
            area = parts.rest
        }
        let isWide = area.columns >= 130
        let parts = area.split(columns: isWide ? [.rest, .cells(min(68, area.columns * 2 / 5))] : [.rest])
        let margin = area.columns >= 60 ? 1 : 0
        let rows = parts[0].inset(columns: margin).split(rows: [.cells(area.rows < 8 ? 1 : 2), .rest])
        drawTop(in: rows[0].row(0), model, into: &buffer)
        guard !matches.isEmpty else {
            buffer.write(SessionsWords.noMatches(filter.text), in: rows[1], style: Style(.warning))
            return
        }
        let overview = SessionsOverview(screen: self, model: model, glyphs: buffer.glyphs)
        let places = overview.places(in: rows[1])
        drawTable(in: places.list, hasHeader: rows[1].rows > 3, model, into: &buffer)
        overview.draw(places, into: &buffer)
        if isWide, let session = selection(in: model) { drawCard(of: session, in: parts[1], model, into: &buffer) }
    }

    /// Draws the selected session beside the list, in a box as high as its content.
    private func drawCard(of session: SessionSummary, in area: Rect, _ model: AppModel, into buffer: inout ScreenBuffer) {
        let panel = Panel(session.name.description)
        var card = SessionCard(session: session, model: model, glyphs: buffer.glyphs).document
        card.hasMargin = false
        let place = area.splitTop(min(area.rows, card.rows(columns: panel.content(of: area).columns).count + 2)).top
        buffer.draw(panel, in: place)
        card.draw(in: panel.content(of: place), surface: panel.surface, into: &buffer)
    }

    /// Draws the counts, or the filter if there is one.
    private func drawTop(in row: Rect, _ model: AppModel, into buffer: inout ScreenBuffer) {
        if isFiltering || !filter.isEmpty {
            FilterLine(content: filter, placeholder: PickerWords.typeToFilter, isFocused: isFiltering).draw(in: row, into: &buffer)
            let found = SessionsWords.found(matches.count, of: model.sessions?.count ?? 0)
            buffer.write(found, in: row.inset(left: min(row.columns, 44)), style: Style(.muted), alignment: .right)
        } else {
            buffer.draw(SessionCount(in: model).line(buffer.glyphs, columns: row.columns), in: row)
        }
    }

    private func drawTable(in area: Rect, hasHeader: Bool, _ model: AppModel, into buffer: inout ScreenBuffer) {
        guard let sessions = model.sessions else { return }
        let isNarrow = Self.isNarrow(area.columns)
        let columns = isNarrow ? Self.narrowColumns : Self.columns(for: model.nameColumns, in: area.columns)
        let name = isNarrow ? area.columns - Self.narrowRest : columns[1].share > 0 ? Int.max : columns[1].minimum
        let glyphs = buffer.glyphs
        let table = ListTable(columns: columns, count: matches.count, selected: selected, hasHeader: hasHeader) { index in
            guard sessions.indices.contains(matches[index]) else { return [] }
            let session = sessions[matches[index]]
            let isFirst = index == 0 || sessions[matches[index - 1]].name.provider != session.name.provider
            return Self.cells(
                session, NameInColumns(session.name, columns: name, glyphs: glyphs), isMarked: index == selected, isNarrow: isNarrow,
                hidesProvider: isGrouped && !isFirst, model, glyphs)
        }
        table.draw(in: area, into: &buffer)
    }

    /// The columns for a narrow screen: the state's glyph, the name, and the time left. A full name is more useful than a bar.
    private static var narrowColumns: [TableColumn] {
        [
            TableColumn("", minimum: 3, importance: 8), TableColumn(SessionsWords.session, minimum: 8, share: 4, importance: 7),
            TableColumn(SessionsWords.left, minimum: leftColumns, alignment: .right, importance: 6),
        ]
    }

    /// The width of the columns beside the name on a narrow screen, including the scroll bar.
    private static var narrowRest: Int { 3 + leftColumns + 2 * Table.gap + 1 }

    /// The width of the time column, which is short in every language.
    private static var leftColumns: Int { widest([SessionsWords.ended], atLeast: 6) }

    private static func widest(_ words: [String], atLeast least: Int) -> Int {
        words.reduce(least) { max($0, SafeText.width(of: $1)) }
    }

    /// The minimum width of the bar: by default, and if a name needs the space.
    private static let longestBar = 10
    private static let shortestBar = 5

    /// Returns all columns; long names take the space of the scopes, which the card shows too.
    ///
    /// - Parameter names: the width of the longest name.
    private static func columns(for names: Int, in width: Int) -> [TableColumn] {
        let states = widest(SessionState.allCases.map(Words.state), atLeast: 8)
        let renewals = widest([SessionsWords.onDemand, SessionsWords.neverRenews], atLeast: 9)
        var columns = [
            TableColumn("  " + SessionsWords.state, minimum: 4 + states, importance: 8),
            TableColumn(SessionsWords.session, minimum: 18, importance: 7),
            TableColumn(SessionsWords.timeLeft, minimum: 11, alignment: .right, importance: 6),
            TableColumn("", minimum: longestBar, share: 1, importance: 5),
            TableColumn(SessionsWords.renews, minimum: renewals, importance: 4),
            TableColumn(SessionsWords.lastUsed, minimum: 16, share: 1, importance: 3),
        ]
        // The scroll bar takes one column.
        let table = Table(columns: columns, count: 0, position: ListPosition()) { _ in [] }
        let others = table.visible(in: width - 1).filter { $0 != 1 }
        let room = width - 1 - others.reduce(0) { $0 + columns[$1].minimum + Table.gap }
        // A full name is more useful than a long bar.
        let given = others.contains(3) ? min(max(0, names - room), longestBar - shortestBar) : 0
        columns[3].minimum -= given
        columns[1].minimum = max(columns[1].minimum, min(names, room + given))
        columns[1].share = names <= room + given ? 1 : 0
        return columns + [TableColumn(SessionsWords.scopes, minimum: 16, share: 4, importance: 2)]
    }

    private static func cells(
        _ session: SessionSummary, _ shown: NameInColumns, isMarked: Bool, isNarrow: Bool, hidesProvider: Bool, _ model: AppModel,
        _ glyphs: GlyphSet
    ) -> [Table.Content] {
        let state = model.state(of: session)
        let time = TimeLeft(session, in: model)
        let name = Style(.text, attributes: isMarked ? .bold : [])
        return [
            .spans([
                ListTable.pointer(isMarked, glyphs),
                TextLine.Span(
                    isNarrow ? Words.glyph(state, glyphs) : "\(Words.glyph(state, glyphs)) \(Words.state(state))", Style(Words.role(state))),
            ]),
            .spans([
                TextLine.Span(hidesProvider ? "  " : shown.provider, name),
                TextLine.Span(shown.account, Style(.muted, attributes: name.attributes)),
            ]),
            .text(isNarrow ? time.short : time.words, Style(time.role)),
            time.bar.map { .bar($0) } ?? .text(""),
            .text(renews(session, model), Style(.muted)),
            .text(lastUsed(session, model), Style(.muted)),
            .text(session.scopes.wire, Style(.muted)),
        ]
    }

    private static func renews(_ session: SessionSummary, _ model: AppModel) -> String {
        if let next = session.nextRenewalAt { return next > model.now ? Words.relative(next, to: model.now) : SessionsWords.due }
        return session.isRenewable ? SessionsWords.onDemand : SessionsWords.neverRenews
    }

    private static func lastUsed(_ session: SessionSummary, _ model: AppModel) -> String {
        guard let at = session.lastUsedAt else { return SessionsWords.never }
        let when = Words.relative(at, to: model.now)
        return session.lastUsedBy.map { "\($0.text()), \(when)" } ?? when
    }
}
