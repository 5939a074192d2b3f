internal import AuthModel
internal import Localization
internal import TerminalApp
internal import TerminalUI

extension SessionSummary {
    /// Sessions that cannot renew need action this long before they end.
    static let notice = Duration.seconds(300)

    /// Returns whether the session has ended, or ends soon and cannot renew itself.
    func needsAction(at now: Timestamp) -> Bool {
        hasEnded(at: now) || !isRenewable && accessExpiresAt.map { $0 - now < Self.notice } ?? false
    }
}

extension SessionList {
    /// The sessions for a terminal: first those that need action, each with the command for it, then the others in a table.
    func rows(on display: Display) -> [StyledText] {
        let urgent = sessions.filter { $0.needsAction(at: now) }.sorted { rank($0) < rank($1) }
        let others = sessions.filter { !$0.needsAction(at: now) }
        // What ends and cannot be renewed comes before what renews itself.
        let ending = others.filter { !$0.isRenewable && $0.accessExpiresAt != nil }.sorted { rank($0) < rank($1) }
        let rest = others.filter { $0.isRenewable || $0.accessExpiresAt == nil }
        var action = Table("", "SESSION", "STATE", "LEFT", "SIGN IN AGAIN WITH")
        action.showsHeader = false
        for session in urgent { action.add(actionCells(session, display)) }
        var healthy = Table("", "SESSION", "STATE", "LEFT", "RENEWS", "SCOPES")
        for session in ending + rest { healthy.add(healthyCells(session, display)) }
        // The columns that both tables have are aligned.
        if !urgent.isEmpty, !others.isEmpty {
            let floors = zip(action.naturalWidths.prefix(4), healthy.naturalWidths.prefix(4)).map(max)
            (action.floors, healthy.floors) = (floors, floors)
        }
        // A command that is cut could not be copied.
        let actions = action.width <= display.columns ? [] : urgent.map { [StyledText("   yett login \($0.name.shellWord)", .key)] }
        if !actions.isEmpty {
            action = Table("", "SESSION", "STATE", "LEFT")
            action.showsHeader = false
            for session in urgent { action.add(Array(actionCells(session, display).prefix(4))) }
            action.floors = healthy.floors
        }
        let details = notes(of: urgent, display)
        let needs = urgent.count == 1 ? "1 session needs action" : "\(urgent.count) sessions need action"
        let title = urgent.isEmpty ? [] : [StyledText(needs, .title)]
        let gap = urgent.isEmpty || others.isEmpty ? [] : [StyledText("")]
        return title + Self.merged(action.rows(on: display), actions.isEmpty ? details : zip(actions, details).map { $0 + $1 }) + gap
            + Self.merged(healthy.rows(on: display), [[]] + notes(of: ending + rest, display))
    }

    /// Whether a warning says only that a session cannot be renewed, which its row says as well.
    static func repeatsItsRow(_ warning: UserMessage) -> Bool { warning.code.contains("no_refresh_token") }

    private func rank(_ session: SessionSummary) -> Timestamp { session.accessExpiresAt ?? session.grantedAt }

    private func actionCells(_ session: SessionSummary, _ display: Display) -> [StyledText] {
        let hasEnded = session.hasEnded(at: now)
        let state = session.state(at: now)
        return [
            hasEnded ? display.bad : display.warning, StyledText(session.name.description, .title),
            StyledText(Words.state(state), hasEnded ? .danger : .warning),
            hasEnded ? "" : StyledText(left(session), .warning), StyledText("yett login \(session.name.shellWord)", .key),
        ]
    }

    private func healthyCells(_ session: SessionSummary, _ display: Display) -> [StyledText] {
        let state = session.state(at: now)
        return [
            state == .signedIn ? display.good : display.neutral, StyledText(session.name.description),
            StyledText(Words.state(state), state == .expiring ? .muted : Words.role(state)), StyledText(left(session)),
            StyledText(session.isRenewable ? "yes" : "no", .muted), StyledText(session.scopes.wire, .muted),
        ]
    }

    /// Returns the warnings below each session, without those that say what a column says.
    private func notes(of sessions: [SessionSummary], _ display: Display) -> [[StyledText]] {
        sessions.map { session in
            session.warnings.filter { !Self.repeatsItsRow($0) }.map {
                StyledText("   " + $0.english, .muted).cut(to: display.columns, display.glyphs)
            }
        }
    }

    private static func merged(_ rows: [StyledText], _ notes: [[StyledText]]) -> [StyledText] {
        zip(rows, notes).flatMap { [$0] + $1 }
    }
}
