internal import AuthModel
internal import TerminalUI

/// The state of the picker: the sessions or the roles of one, the typed pattern and the selection.
struct SessionPicker: Sendable {
    /// A session to choose.
    struct Row: Sendable {
        var session: SessionSummary
        /// Whether it is its provider's default account, or a role that was used of late.
        var isDefault: Bool
        /// The role of the session that is chosen; `nil` to choose the session.
        var role: AccountRole?

        /// The name, as it is shown.
        var name: String { SafeText.line(role?.shownName ?? session.name.description) }
        /// The text in which the pattern is searched; begins with the name.
        var searchedText: String { SafeText.line(role?.searchedText ?? session.name.description) }
    }

    /// A row that contains the pattern.
    struct Match: Sendable {
        let row: Row
        /// The indices of the characters of the name that match.
        let positions: [Int]
    }

    /// How the choice ended.
    enum Outcome: Equatable, Sendable {
        case chosen(SessionName)
        /// The session's token is to be copied.
        case copied(SessionName)
        /// The session's `export` line is to be printed.
        case exported(SessionName)
        /// The session is to be opened in the app.
        case opened(SessionName)
        /// The role is to be printed.
        case chosenRole(AccountRole)
        /// A line that runs a command as the role is to be printed.
        case exportedRole(AccountRole)
        /// The roles are to be listed again.
        case reloadedRoles
        /// The console is to be opened as the role.
        case openedRole(AccountRole)
        case cancelled
    }

    /// The maximum length of the pattern, in characters.
    private static let limit = 200

    /// All sessions.
    let rows: [Row]
    /// Whether Enter prints the name instead of changing the default account.
    let prints: Bool
    /// Whether the app can be opened from here.
    let opensApp: Bool
    /// The typed pattern.
    private(set) var pattern = ""
    /// The rows that contain the pattern, the best first.
    private(set) var matches: [Match]
    /// The index of the selected match.
    private(set) var selected = 0

    init(_ rows: [Row], prints: Bool = false, opensApp: Bool = false) {
        self.rows = rows
        self.prints = prints
        self.opensApp = opensApp
        matches = rows.map { Match(row: $0, positions: []) }
    }

    /// Applies a key. Returns the outcome if the key ends the choice.
    mutating func press(_ key: Key) -> Outcome? {
        switch key {
        case .up, .control("p"): selected = max(selected - 1, 0)
        case .down, .control("n"): selected = max(min(selected + 1, matches.count - 1), 0)
        case .enter: return outcome(Outcome.chosen, Outcome.chosenRole)
        case .control("y"): return outcome(Outcome.copied, nil)
        case .control("e"): return outcome(Outcome.exported, Outcome.exportedRole)
        case .control("o"): return opensApp || choosesRoles ? outcome(Outcome.opened, Outcome.openedRole) : nil
        case .control("r"): return choosesRoles ? .reloadedRoles : nil
        case .escape, .control("c"), .control("d"), .control("g"): return .cancelled
        case .backspace: search(String(pattern.dropLast()))
        case .control("u"): search("")
        default: if let character = key.typed { search(String((pattern + String(character)).prefix(Self.limit))) }
        }
        return nil
    }

    /// Whether roles are chosen.
    var choosesRoles: Bool { rows.first?.role != nil }

    /// Returns the outcome for the selected row; `nil` if there is none, or if it has none.
    private func outcome(_ session: (SessionName) -> Outcome, _ role: ((AccountRole) -> Outcome)?) -> Outcome? {
        guard !matches.isEmpty else { return nil }
        let row = matches[selected].row
        if let chosen = row.role { return role?(chosen) }
        return session(row.session.name)
    }

    private mutating func search(_ pattern: String) {
        self.pattern = pattern
        selected = 0
        let found = rows.enumerated().compactMap { index, row in
            FuzzyMatch(pattern, in: row.searchedText).map { (index, $0) }
        }
        // The order of the sessions decides between equal scores.
        matches = found.sorted { ($1.1.score, $0.0) < ($0.1.score, $1.0) }.map { Match(row: rows[$0.0], positions: $0.1.positions) }
    }
}
