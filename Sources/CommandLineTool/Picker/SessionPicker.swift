internal import AuthModel
internal import TerminalApp
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

    /// The end of the choice.
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

extension SessionPicker {
    /// The maximum number of rows on the screen, with the rows of the pattern and the keys.
    static let height = 10
    private var prompt: String { choosesRoles ? "Role: " : "Session: " }
    private static let reset = "\u{1B}[0m"

    /// A drawn picker.
    struct Drawing: Equatable, Sendable {
        /// The rows, with their escape sequences. The first one is the pattern's.
        let lines: [String]
        /// The column of the cursor in the first row.
        let cursor: Int

        /// The bytes that replace the former drawing. The cursor stays in the first row, so that ``SessionPicker/erasure`` erases all.
        var bytes: [UInt8] {
            let up = lines.count > 1 ? "\u{1B}[\(lines.count - 1)A" : ""
            let right = cursor > 0 ? "\u{1B}[\(cursor)C" : ""
            return Array(
                (String(decoding: SessionPicker.erasure, as: UTF8.self) + lines.joined(separator: "\r\n") + up + "\r" + right).utf8)
        }
    }

    /// Erases a drawing.
    static let erasure = Array("\r\u{1B}[J".utf8)

    /// Draws the picker. No row is wider than `columns`, and there are never more rows than the terminal has.
    func drawing(columns: Int, rows: Int, at now: Timestamp, showsUnicode: Bool, paint: Paint = .none) -> Drawing {
        // The last column stays free, because terminals differ in when they wrap.
        let width = max(columns - 1, 1)
        let count = "\(matches.count)/\(self.rows.count)"
        let label = width >= prompt.count + 12 ? prompt : "> "
        var typed = Self.glyphs(pattern, showsUnicode)
        let room = max(width - label.count - count.count - 2, 0)
        while typed.width > room { typed.removeFirst() }
        let gap = width - label.count - typed.width - count.count
        let first = label + typed.text + (gap > 0 ? String(repeating: " ", count: gap) + paint[.muted] + count + Self.reset : "")
        let shown = shown(rows: rows)
        let names = shown.map { Self.glyphs(matches[$0].row.name, showsUnicode).width }.max() ?? 0
        let lines = shown.map { line($0, width: width, names: names, at: now, showsUnicode, paint) }
        let keys = showsKeys(rows: rows) ? [keyLine(width: width, paint)] : []
        return Drawing(lines: [first] + lines + keys, cursor: min(label.count + typed.width, width - 1))
    }

    /// Returns one row: marker, state, name, star, time left; the account's number for a role.
    private func line(_ index: Int, width: Int, names: Int, at now: Timestamp, _ showsUnicode: Bool, _ paint: Paint) -> String {
        let match = matches[index]
        let isSelected = index == selected
        let glyphs: GlyphSet = showsUnicode ? .unicode : .ascii
        let state = match.row.session.shownState(at: now)
        let left = match.row.left(at: now)
        let fixed = Self.fixedWidth
        let showsTime = Self.showsTime(left, width: width)
        let room = max(min(names, width - fixed - (showsTime ? left.count + 2 : 0)), 1)
        let name = Self.glyphs(match.row.name, showsUnicode)
        var text = ""
        var used = 0
        let base = Self.reset + (isSelected ? paint.selection : "")
        for (position, glyph) in name.enumerated() {
            let isLast = position == name.count - 1
            if used + glyph.width > room || (!isLast && used + glyph.width == room) {
                text += glyphs.ellipsis
                used += 1
                break
            }
            text += match.positions.contains(position) ? paint.match + glyph.text + base : glyph.text
            used += glyph.width
        }
        let role = match.row.session.isRenewable && state == .expired ? Role.muted : Words.role(state)
        let glyph = match.row.role == nil ? paint[role] + Words.glyph(state, glyphs) + base : " "
        let star = match.row.isDefault ? paint[.accent] + glyphs.star + base : " "
        let head = base + (isSelected ? "> " : "  ") + glyph + " " + text + String(repeating: " ", count: max(room - used, 0)) + " " + star
        return head + (showsTime ? "  " + left : "") + Self.reset
    }

    /// The line with the keys needs a row that a session could have.
    private func showsKeys(rows: Int) -> Bool { rows > 3 }

    /// Returns the indices of the matches on the screen.
    private func shown(rows: Int) -> ArraySlice<Int> {
        let height = max(min(Self.height, rows) - (showsKeys(rows: rows) ? 2 : 1), 0)
        return Array(matches.indices)[...].dropFirst(max(selected - height + 1, 0)).prefix(height)
    }

    /// Returns the keys, the most important first, as many as fit.
    private func keyLine(width: Int, _ paint: Paint) -> String {
        var text = ""
        let session = ["Enter \(prints ? "print" : "default")", "^Y copy token", "^E export line"] + (opensApp ? ["^O open"] : [])
        for key in (choosesRoles ? ["Enter print", "^E exec line", "^O console", "^R reload"] : session) + ["Esc cancel"] {
            let longer = text.isEmpty ? key : text + "  " + key
            guard longer.count <= width else { break }
            text = longer
        }
        return paint[.muted] + text + Self.reset
    }

    /// The width of a row without the name and the time left: marker, state, star and spaces.
    private static let fixedWidth = 4 + 2

    private static func showsTime(_ left: String, width: Int) -> Bool { width >= fixedWidth + 8 + 2 + left.count }

    /// Returns the time until the drawing changes without a key; `nil` if no shown time counts down.
    func untilChange(columns: Int, rows: Int, at now: Timestamp) -> Duration? {
        let width = max(columns - 1, 1)
        return shown(rows: rows).compactMap { index in
            let row = matches[index].row
            guard row.role == nil else { return nil }
            // A row without its time still shows a state.
            let showsTime = Self.showsTime(row.left(at: now), width: width)
            return showsTime ? row.session.untilTextChanges(at: now) : row.session.untilStateChanges(at: now)
        }.min()
    }

    private static func glyphs(_ text: String, _ showsUnicode: Bool) -> [Glyph] {
        let glyphs = SafeText.glyphs(text)
        guard !showsUnicode else { return glyphs }
        return glyphs.flatMap { $0.text.utf8.allSatisfy { $0 < 0x80 } ? [$0] : SafeText.glyphs("?") }
    }
}

extension SessionPicker.Row {
    /// Returns the time left, as it is shown; the number of the account for a role.
    fileprivate func left(at now: Timestamp) -> String {
        role?.account ?? session.accessExpiresAt.map { $0 <= now ? "ended" : ($0 - now).formatted } ?? "-"
    }
}
