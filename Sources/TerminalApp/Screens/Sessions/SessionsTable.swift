import AuthModel
import Localization
import TerminalUI

/// The table of the sessions: its columns for a width, and its rows.
struct SessionsTable {
    let screen: SessionsScreen
    let model: AppModel
    let glyphs: GlyphSet
    /// The width of the table.
    let width: Int
    private let form: Form
    private let uses: UseHistory

    /// The form of the state in a row.
    private enum Form {
        /// The glyph, the name and a short time, in less than 48 columns.
        case narrow
        /// The glyph, because the state's name stands beside the list.
        case brief
        /// The glyph and the name.
        case full
    }

    /// The columns of the table that are not narrow, in order.
    private enum Column: Int, CaseIterable {
        case state, name, timeLeft, bar, expires, history, lastUsed, renews, scopes
    }

    init(screen: SessionsScreen, model: AppModel, glyphs: GlyphSet, width: Int, hasPane: Bool) {
        self.screen = screen
        self.model = model
        self.glyphs = glyphs
        self.width = width
        form = Self.isNarrow(width) ? .narrow : hasPane && width < 84 ? .brief : .full
        uses = UseHistory(model.activity, now: model.now)
    }

    static func isNarrow(_ columns: Int) -> Bool { columns < 48 }

    func draw(in area: Rect, hasHeader: Bool, into buffer: inout ScreenBuffer) {
        guard let sessions = model.sessions else { return }
        let lines = SessionListRows(screen, in: model)
        let columns = form == .narrow ? narrowColumns : wideColumns
        let nameWidth = form == .narrow ? width - Self.narrowRest : columns[1].share > 0 ? Int.max : columns[1].minimum
        let matches = screen.matches
        let isFocused = screen.pane?.isFocused != true
        var table = Table(
            columns: columns, count: lines.count, selected: lines.index(of: screen.selected), hasHeader: hasHeader
        ) { line in
            guard let index = lines.row(at: line) else { return [.across(title(of: lines, at: line))] }
            guard matches.indices.contains(index), sessions.indices.contains(matches[index]) else { return [] }
            let session = sessions[matches[index]]
            let isFirst = index == 0 || sessions[matches[index - 1]].name.provider != session.name.provider
            return cells(
                session, NameInColumns(session.name, columns: nameWidth, glyphs: glyphs), isMarked: index == screen.selected,
                hidesProvider: screen.isGrouped && !isFirst, tone: tone(at: index))
        }
        table.isFocused = isFocused
        table.first = screen.top
        table.marksHeader = form != .narrow
        table.clicked = lines.row
        table.rowSurface = { line in
            guard let index = lines.row(at: line) else { return lines.group(at: line) == .urgent ? .alert : nil }
            guard matches.indices.contains(index), sessions.indices.contains(matches[index]) else { return nil }
            let session = sessions[matches[index]]
            if model.flashes[session.name] != nil { return .notice }
            if index == screen.selected, isFocused { return nil }
            return model.state(of: session).needsAction ? .alert : nil
        }
        table.draw(in: area, into: &buffer)
    }

    /// Returns the title of a group of rows: what is true of them, and how many there are.
    private func title(of lines: SessionListRows, at line: Int) -> [TextLine.Span] {
        let group = lines.group(at: line)
        let (state, title): (SessionState, String) =
            switch group {
            case .urgent: (.needsSignIn, SessionListWords.needAction)
            case .ending: (.expiring, SessionListWords.notRenewed)
            case .working: (.signedIn, SessionListWords.noAction)
            }
        return [
            TextLine.Span("  \(Words.glyph(state, glyphs)) ", Style(Words.role(state))),
            TextLine.Span(title, Style(group == .working ? .muted : Words.role(state))),
            TextLine.Span("  \(lines.count(of: group))", Style(.muted)),
        ]
    }

    /// Returns the tone of a row's text: in the default order, rows without a need for action are calmer as they go down. It depends on
    /// the place in the list, so that a row looks the same after scrolling.
    private func tone(at index: Int) -> Tone {
        guard screen.order == .attention, !screen.isGrouped, index >= screen.urgent else { return .plain }
        let steps = (index - screen.urgent) / Self.rowsInATone
        return steps == 0 ? .plain : .faded(UInt8(min(steps, Self.mostSteps)))
    }

    private static let rowsInATone = 6
    private static let mostSteps = 3

    /// Returns the order that a click on a column's title chooses; nil if the sessions cannot be sorted by it.
    static func order(ofColumn index: Int) -> SessionOrder? {
        switch Column(rawValue: index) {
        case .state: .attention
        case .name: .name
        case .timeLeft, .bar, .expires: .timeLeft
        case .lastUsed, .history: .lastUsed
        case .renews, .scopes, nil: nil
        }
    }

    // MARK: Columns

    private static let longestBar = 12
    private static let shortestBar = 7
    private static let shortestName = 14

    /// The columns for a narrow screen: the state's glyph, the name, and the time left. A full name is more useful than a bar.
    private var narrowColumns: [TableColumn] {
        [
            TableColumn("", minimum: 3, importance: 8), TableColumn(SessionListWords.session, minimum: 8, share: 4, importance: 7),
            TableColumn(tr("Left"), minimum: Self.leftColumns, alignment: .right, importance: 6),
        ]
    }

    /// The width of the columns beside the name on a narrow screen, including the scroll bar.
    private static var narrowRest: Int { 3 + leftColumns + 2 * Table.gap + 1 }

    /// The width of the time column, which is short in every language.
    private static var leftColumns: Int { widest([SessionListWords.noExpiry], atLeast: 6) }

    private static func widest(_ words: [String], atLeast least: Int) -> Int {
        words.reduce(least) { max($0, SafeText.width(of: $1)) }
    }

    /// All columns; long names take the space of the bar and the scopes, which the details show too.
    private var wideColumns: [TableColumn] {
        let hasWords = form == .full || model.isPlain
        let states = hasWords ? Self.widest(SessionState.allCases.map(Words.state), atLeast: 8) + 4 : 3
        let renewals = Self.widest([SessionListWords.onDemand, SessionListWords.neverRenews], atLeast: 9)
        var columns = [
            TableColumn(title(hasWords ? "  " + tr("State") : " ", .attention), minimum: states, importance: 9),
            TableColumn(title(SessionListWords.session, .name), minimum: Self.shortestName, importance: 8),
            TableColumn(title(tr("Time left"), .timeLeft), minimum: 11, alignment: .right, importance: 7),
            TableColumn("", minimum: Self.longestBar, share: 1, importance: 6),
            TableColumn(tr("Expires"), minimum: 16, alignment: .right, importance: 2),
            TableColumn(SessionListWords.lastDay, minimum: model.isPlain ? 12 : UseHistory.parts, importance: 5),
            TableColumn(title(tr("Last used"), .lastUsed), minimum: 19, share: 1, importance: 4),
            TableColumn(SessionListWords.renews, minimum: renewals, alignment: .right, importance: 3),
        ]
        if !model.isPlain { columns[Column.bar.rawValue].ticks = TimeLeft.ticks }
        // The scroll bar takes one column.
        var narrow = columns
        narrow[Column.bar.rawValue].minimum = Self.shortestBar
        let table = Table(columns: narrow, count: 0) { _ in [] }
        let others = table.visible(in: width - 1).filter { $0 != Column.name.rawValue }
        let names = model.nameColumns + (model.hasStars ? 2 : 0)
        // A full name is more useful than a long bar, and than the least important columns.
        let choices = (0...others.count).map { dropped in
            others.sorted { columns[$0].importance > columns[$1].importance }.prefix(others.count - dropped)
        }
        func room(_ others: some Collection<Int>) -> Int { width - 1 - others.reduce(0) { $0 + columns[$1].minimum + Table.gap } }
        func shortened(_ others: some Collection<Int>) -> Int {
            others.contains(Column.bar.rawValue) ? min(max(0, names - room(others)), Self.longestBar - Self.shortestBar) : 0
        }
        let mandatory = [Column.state.rawValue, Column.timeLeft.rawValue]
        let kept = choices.first { mandatory.allSatisfy($0.contains) && names <= room($0) + shortened($0) } ?? choices[0]
        for index in others where !kept.contains(index) { columns[index].importance = 0 }
        let (space, given) = (room(kept), shortened(kept))
        columns[Column.bar.rawValue].minimum -= given
        columns[Column.name.rawValue].minimum = max(columns[Column.name.rawValue].minimum, min(names, space + given))
        columns[Column.name.rawValue].share = names <= space + given ? 1 : 0
        return columns + [TableColumn(tr("Scopes"), minimum: 16, share: 4, importance: 1)]
    }

    /// Returns a column's title, with a mark if the sessions are sorted by it.
    private func title(_ title: String, _ order: SessionOrder) -> String {
        // The sessions of a provider stand together before any other order.
        guard screen.isGrouped ? order == .name : screen.order == order else { return title }
        if model.isPlain { return SessionListWords.sorted(title) }
        return "\(title) \(order == .lastUsed ? glyphs.more.down : glyphs.more.up)"
    }

    // MARK: Rows

    private func cells(
        _ session: SessionSummary, _ shown: NameInColumns, isMarked: Bool, hidesProvider: Bool, tone: Tone
    ) -> [Table.Content] {
        let state = model.state(of: session)
        let time = TimeLeft(session, in: model)
        let tone = isMarked ? .plain : tone
        let name = Style(.text, attributes: isMarked ? .bold : [], tone: tone)
        var bar = time.bar
        // One mark is a fact; one in each row is a pattern.
        if !isMarked { bar?.mark = nil }
        // The state says that nothing is left, so neither its name nor an empty bar stands here.
        let left = time.isOver ? "" : form == .narrow ? time.short : time.column
        let mark = model.isPlain ? tr("(default)") : glyphs.star
        let star = model.isDefault(session.name) ? [TextLine.Span(" " + mark, Style(.accent))] : []
        return [
            .spans([Table.pointer(isMarked, glyphs), TextLine.Span(words(for: state), Style(Words.role(state)))]),
            .spans(
                [
                    TextLine.Span(hidesProvider ? "  " : shown.provider, name),
                    TextLine.Span(shown.account, Style(.muted, attributes: name.attributes)),
                ] + star),
            .text(left, Style(time.role, tone: tone)),
            time.isOver ? .text("") : bar.map { .bar($0) } ?? .text(""),
            .text(session.accessExpiresAt.map { Words.time($0, now: model.now) } ?? "", Style(.muted)),
            uses(of: session),
            .text(Self.lastUsed(session, model), Style(.muted)),
            .text(Self.renews(session, model), Style(.muted)),
            .text(session.scopes.wire, Style(.muted)),
        ]
    }

    /// Returns the state as the form shows it; read line by line, a glyph says nothing.
    private func words(for state: SessionState) -> String {
        if model.isPlain { return Words.state(state) }
        return form == .full ? "\(Words.glyph(state, glyphs)) \(Words.state(state))" : Words.glyph(state, glyphs)
    }

    /// Returns the uses of the last 24 hours as a picture, or as their number.
    private func uses(of session: SessionSummary) -> Table.Content {
        let uses = uses[session.name]
        if model.isPlain { return .text(ActivityWords.tokens(uses.reduce(0, +)), Style(.muted)) }
        return .spans(UseHistory.picture(uses, glyphs))
    }

    private static func renews(_ session: SessionSummary, _ model: AppModel) -> String {
        if let next = session.nextRenewalAt { return next > model.now ? Words.relative(next, to: model.now) : SessionListWords.due }
        return session.isRenewable ? SessionListWords.onDemand : SessionListWords.neverRenews
    }

    private static func lastUsed(_ session: SessionSummary, _ model: AppModel) -> String {
        guard let at = session.lastUsedAt else { return SessionListWords.never }
        let when = Words.relative(at, to: model.now)
        return session.lastUsedBy.map { "\(CallingProgram(caller: $0).name), \(when)" } ?? when
    }
}

/// The texts of the list of sessions.
package enum SessionListWords {
    package static var title: String { tr("Sessions") }
    package static var session: String { tr("Session") }
    package static var renews: String { tr("Renews") }
    /// - Parameter time: relative: `in 38 min`.
    package static func renews(_ time: String) -> String { tr("renews {1}", time) }
    /// The title of the column with the uses in the last 24 hours.
    package static var lastDay: String { tr("24 h") }

    package static func signedIn(_ count: Int) -> String { plural(count, "{1} signed in", "{1} signed in") }
    package static func expiring(_ count: Int) -> String { plural(count, "{1} expiring", "{1} expiring") }
    package static func sorted(_ title: String) -> String { tr("{1} (sorted)", title) }
    package static func expired(_ count: Int) -> String { plural(count, "{1} expired", "{1} expired") }
    package static func attention(_ count: Int) -> String { plural(count, "{1} needs action", "{1} need action") }
    /// The titles of the groups of the list.
    package static var needAction: String { tr("Needs action") }
    package static var notRenewed: String { tr("Ends, cannot be renewed") }
    package static var noAction: String { tr("No action needed") }
    package static func guests(_ count: Int) -> String { plural(count, "{1} guest", "{1} guests") }
    package static func found(_ count: Int, of all: Int) -> String { tr("{1} of {2}", count, all) }

    package static var nothingMarked: String { tr("no session is selected") }
    package static var noExpiry: String { tr("no expiry") }
    package static var none: String { tr("none") }
    package static var neverRenews: String { tr("no") }
    package static var never: String { tr("never") }
    package static var due: String { tr("due") }
    package static var onDemand: String { tr("on demand") }

    package static var nothingUrgent: String { tr("no session needs action") }
    package static func sorted(_ order: SessionOrder) -> String {
        switch order {
        case .name: tr("sorted by name")
        case .timeLeft: tr("sorted by time left: soonest expiry first")
        case .attention: tr("sorted by urgency: sessions that need action first")
        case .lastUsed: tr("sorted by last use: most recent first")
        }
    }
    package static var ungrouped: String { tr("not grouped") }
    package static var keyOpen: String { tr("open") }
    package static var keyEndFilter: String { tr("apply filter") }
    package static var keyActivity: String { tr("activity") }
    package static var helpOpen: String { tr("show all details of the session") }
    package static var helpActivity: String { tr("what happened, and who used a token") }
}
