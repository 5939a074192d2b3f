internal import AuthModel
internal import Localization
internal import TerminalApp
internal import TerminalUI

extension SessionList {
    func rows(on display: Display) -> [StyledText] {
        let groups = SessionGroups(self, display)
        let title = groups.title
        let rows = groups.rows()
        // The first rows of a long list have left the screen.
        guard let title, rows.count >= display.rows else { return rows }
        return rows + ["", title + StyledText(": see the top of the list", .muted)]
    }

    /// Returns the rows that fit into a number of rows. If sessions are left out, the last row counts them.
    func rows(on display: Display, atMost limit: Int) -> [StyledText] { SessionGroups(self, display).rows(atMost: limit) }

    /// Whether a warning says only that a session cannot be renewed, which its row says as well.
    static func repeatsItsRow(_ warning: UserMessage) -> Bool { warning.code.contains("no_refresh_token") }
}

/// The sessions on a terminal, in the groups of the app: first those that need action, each with the command for it; then, in one table,
/// those that end and cannot be renewed, and the others.
private struct SessionGroups {
    private let list: SessionList
    private let display: Display
    private let urgent: [SessionSummary]
    private let working: [SessionSummary]

    /// The session's own row, and the rows below it.
    private typealias Entry = (row: StyledText, notes: [StyledText])

    /// The column of the time left.
    private static let timeColumn = 3

    init(_ list: SessionList, _ display: Display) {
        (self.list, self.display) = (list, display)
        let now = list.now
        urgent = list.sessions.filter { $0.shownState(at: now).needsAction }.sorted { Self.rank($0) < Self.rank($1) }
        let others = list.sessions.filter { !$0.shownState(at: now).needsAction }
        let ending = others.filter { $0.endsUnrenewed($0.shownState(at: now)) }.sorted { Self.rank($0) < Self.rank($1) }
        working = ending + others.filter { !$0.endsUnrenewed($0.shownState(at: now)) }
    }

    /// The title of the sessions that need action; `nil` if there are none.
    var title: StyledText? {
        guard !urgent.isEmpty else { return nil }
        let (count, total) = (urgent.count, list.sessions.count)
        let sessions = count == total ? (count == 1 ? "session" : "sessions") : "of \(total) sessions"
        return StyledText("\(count) \(sessions) \(count == 1 ? "needs" : "need") action", .title)
    }

    /// Returns all rows, or as many as fit.
    func rows(atMost limit: Int = .max) -> [StyledText] {
        var action = TextTable("", "SESSION", "STATE", "LEFT", "SIGN IN AGAIN WITH")
        action.showsHeader = false
        for session in urgent { action.add(actionCells(session)) }
        var table = TextTable("", "SESSION", "STATE", "LEFT", "", "RENEWS", "SCOPES")
        for session in working { table.add(workingCells(session)) }
        (action.numbers, table.numbers) = ([Self.timeColumn], [Self.timeColumn])
        table.dispensable = [6, 4, 5]
        // The columns that both tables have are aligned.
        if !urgent.isEmpty, !working.isEmpty {
            let floors = zip(action.naturalWidths.prefix(4), table.naturalWidths.prefix(4)).map(max)
            (action.floors, table.floors) = (floors, floors)
        }
        // A command that is cut could not be copied.
        let hasOwnRows = action.width > display.columns
        if hasOwnRows { action = withoutCommands(floors: table.floors) }
        let first = zip(action.rows(on: display), urgent).map { row, session in
            Entry(row, (hasOwnRows ? [StyledText("   yett login \(session.name.shellWord)", .key)] : []) + notes(of: session))
        }
        let others = table.rows(on: display)
        let second = zip(others.dropFirst(), working).map { Entry($0, notes(of: $1)) }
        let head = (urgent.isEmpty || working.isEmpty ? [] : [""]) + others.prefix(1)
        return fitting([title].compactMap(\.self), first, head, second, limit)
    }

    private func fitting(_ title: [StyledText], _ first: [Entry], _ head: [StyledText], _ second: [Entry], _ limit: Int) -> [StyledText] {
        let rows = title + first.flatMap { [$0.row] + $0.notes } + head + second.flatMap { [$0.row] + $0.notes }
        guard rows.count > limit else { return rows }
        var shown = title
        var count = 0
        for (index, entry) in (first + second).enumerated() {
            let added = (index == first.count ? head : []) + [entry.row] + entry.notes
            guard shown.count + added.count < limit else { break }
            shown += added
            count += 1
        }
        let hidden = list.sessions.count - count
        return shown.prefix(max(limit - 1, 0)) + [StyledText("and \(hidden) more", .muted)]
    }

    private func withoutCommands(floors: [Int]) -> TextTable {
        var table = TextTable("", "SESSION", "STATE", "LEFT")
        table.showsHeader = false
        for session in urgent { table.add(Array(actionCells(session).dropLast())) }
        (table.floors, table.numbers) = (floors, [Self.timeColumn])
        return table
    }

    private static func rank(_ session: SessionSummary) -> Timestamp { session.accessExpiresAt ?? session.grantedAt }

    private func actionCells(_ session: SessionSummary) -> [StyledText] {
        let state = session.shownState(at: list.now)
        return [
            display.mark(of: state), StyledText(session.name.description, .title), StyledText(Words.state(state), .danger),
            StyledText(ago(session), .muted), StyledText("yett login \(session.name.shellWord)", .key),
        ]
    }

    /// Returns how long ago the session ended; empty if it was ended before its time.
    private func ago(_ session: SessionSummary) -> String {
        guard let end = session.accessExpiresAt, end <= list.now else { return "" }
        return Words.roughSpan(list.now - end) + " ago"
    }

    private func workingCells(_ session: SessionSummary) -> [StyledText] {
        let state = session.shownState(at: list.now)
        // What renews itself needs no warning.
        let role: Role = state == .expiring && session.isRenewable ? .muted : Words.role(state)
        let leftRole: Role = session.endsSoonUnrenewed(at: list.now) ? .warning : .text
        return [
            StyledText(Words.glyph(state, display.glyphs), role), StyledText(session.name.description, .title),
            StyledText(Words.state(state), role), StyledText(list.left(session), leftRole), bar(session),
            StyledText(renews(session), .muted), StyledText(session.scopes.wire, .muted),
        ]
    }

    /// Returns when the agent renews the session; `on demand` where it plans nothing.
    private func renews(_ session: SessionSummary) -> String {
        guard session.isRenewable else { return "no" }
        return session.nextRenewalAt.map { $0 > list.now ? Words.relative($0, to: list.now) : "due" } ?? "on demand"
    }

    /// So narrow that a terminal without space for the whole bar leaves it out.
    private static let barColumns = 8

    /// Returns the time left as a bar, on the app's scale; empty without an expiry.
    private func bar(_ session: SessionSummary) -> StyledText {
        guard let end = session.accessExpiresAt, end > list.now else { return "" }
        let left = end - list.now
        let filled = max(1, Int((TimeLeft.share(of: left) * Double(Self.barColumns)).rounded()))
        let glyphs = display.glyphs
        func line(_ glyph: String, _ count: Int, _ role: Role) -> StyledText {
            StyledText(String(repeating: glyph, count: count), role)
        }
        return line(glyphs.barFilled, filled, TimeLeft.urgency(session, left))
            + line(glyphs.barEmpty, Self.barColumns - filled, .barEmpty)
    }

    /// Returns the warnings of a session, without those that say what a column says.
    private func notes(of session: SessionSummary) -> [StyledText] {
        session.warnings.filter { !SessionList.repeatsItsRow($0) }.flatMap { warning in
            // A longer word is cut: the rows of yett status --watch must be those of the terminal.
            StyledText("   " + warning.english, .muted).folded(to: display.columns, indent: 3)
                .map { $0.cut(to: display.columns, display.glyphs) }
        }
    }
}
