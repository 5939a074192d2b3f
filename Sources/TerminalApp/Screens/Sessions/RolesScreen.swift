import AuthModel
import Localization
import TerminalUI

/// Chooses an account and a role of a session: to open the console as that role, or to copy a command that uses it.
struct RolesScreen: FilteredScreen {
    let name: SessionName
    var content = Loaded<RoleList>.loading
    var filter = TextFieldContent(limit: Filter.limit)
    /// The roles that match, those used of late first; the best match first if something is typed.
    private(set) var matches: [Entry] = []
    var selected = 0

    /// A role in the list.
    struct Entry: Equatable, Sendable {
        var role: AccountRole
        /// Whether credentials of the role were issued of late.
        var isRecent: Bool
    }

    init(_ name: SessionName) { self.name = name }

    /// The selected role; nil if none matches.
    var selection: AccountRole? { matches.indices.contains(selected) ? matches[selected].role : nil }

    func actions(in model: AppModel) -> [Action] {
        let name = name
        let missing = selection == nil ? obstacle(in: model) : nil
        func with(_ result: (AccountRole) -> ScreenResult) -> ScreenResult { selection.map(result) ?? .none }
        return [
            Action(
                "console", [.enter], label: tr("open console"), help: tr("open the web console in your browser as this role"),
                obstacle: missing ?? model.lockObstacle,
                result: with {
                    ScreenResult(commands: [.openConsole(name, $0)], move: .back, notice: Notice(RolesWords.opening($0.shownName)))
                }),
            // The line has no credentials: Yett gives them to the command.
            Action(
                "copy-line", [.control("e")], label: tr("copy exec line"), help: tr("copy a shell line that runs a command as this role"),
                obstacle: missing,
                result: with {
                    var result = ScreenResult.run(.copyText("yett exec \(ShellWord(name)) --aws \(ShellWord($0.text)) -- "))
                    result.move = .back
                    return result
                }),
            Action(
                "reload", [.control("r")], label: CommonWords.keyReload, isHinted: isOld(in: model), obstacle: model.lockObstacle,
                result: .run(.loadRoles(name, isFresh: true))),
            Action("back", [.escape], label: CommonWords.keyBack, result: .back),
        ]
            + Movement.actions(label: CommonWords.keyMove, lettersMove: false) {
                $0.selected = $1.from($0.selected, count: $0.matches.count, page: max(1, model.size.rows - 6))
            }
    }

    /// The rows of the list; before it is read, a common number of them.
    private var rows: Int { if case .loaded = content { matches.count } else { 12 } }

    /// Returns the reason why no role is selected.
    private func obstacle(in model: AppModel) -> String {
        switch content {
        case .loading: model.lockObstacle ?? tr("the roles are loading")
        case .failed(let failure): Words.line(failure)
        case .loaded(let list): list.roles.isEmpty ? RolesWords.none : PickerWords.noMatches
        }
    }

    /// Whether the list is so old that a role may be missing.
    private func isOld(in model: AppModel) -> Bool {
        guard case .loaded(let list) = content, let at = list.listedAt else { return false }
        return model.now - at >= .seconds(3600)
    }

    func traits(in model: AppModel) -> ScreenTraits {
        ScreenTraits(
            takesText: true, selectedRow: selected, box: .list(rows: rows), openingCommands: [.loadRoles(name, isFresh: false)],
            allowsProblemAbove: true)
    }

    mutating func receive(_ message: Message, in model: AppModel) -> ScreenResult {
        switch message {
        // What arrives after a lock was asked for before it.
        case .rolesLoaded(name, let result) where !model.isLocked:
            switch result {
            case .success(let list): content = .loaded(list)
            case .failure(let failure): content = .failed(failure)
            }
            let chosen = selection
            match(in: model)
            selected = chosen.flatMap { chosen in matches.firstIndex { $0.role == chosen } } ?? 0
        case .unlockEnded(nil), .serviceReported(.storeStateChanged(.unlocked)): return .run(.loadRoles(name, isFresh: false))
        case .serviceReported(.storeStateChanged), .loaded:
            guard model.isLocked else { return .none }
            // The list is sealed too: the names of accounts must not stay on the screen after a lock.
            (content, matches, selected) = (.loading, [], 0)
        default: break
        }
        return .none
    }

    mutating func match(in model: AppModel) {
        guard case .loaded(let list) = content else { return matches = [] }
        let all = model.activity.recentFirst(list.roles, of: name).map { Entry(role: $0.role, isRecent: $0.isRecent) }
        guard !filter.text.isEmpty else { return matches = all }
        let scored = all.enumerated().compactMap { index, entry in
            FuzzyMatch(filter.text, in: entry.role.searchedText).map { (place: index, score: $0.score) }
        }
        matches = scored.sorted { ($1.score, $0.place) < ($0.score, $1.place) }.map { all[$0.place] }
    }

    static func examples(of session: SessionName, in model: AppModel) -> [RolesScreen] { [RolesScreen(session)] }

    func title(in model: AppModel) -> String { tr("Roles of {1}", name) }

    func status(in model: AppModel) -> String {
        guard case .loaded(let list) = content else { return "" }
        let found = SessionListWords.found(matches.count, of: list.roles.count)
        // A new role is not in an old list.
        guard let at = list.listedAt, model.now - at >= .seconds(60) else { return found }
        return found + ", " + tr("listed {1}", Words.relative(at, to: model.now))
    }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        let list = FloatingList(
            filter: filter, placeholder: tr("type letters of the account or role"), rightColumns: 14, count: matches.count,
            selected: selected, emptyText: obstacle(in: model))
        list.draw(in: area, model, into: &buffer) { index, glyphs in
            let entry = matches[index]
            let name = Style(.text, attributes: index == selected ? .bold : [])
            let star = entry.isRecent ? [TextLine.Span(" " + glyphs.star, Style(.accent))] : []
            return [
                .spans(
                    [Table.pointer(index == selected, glyphs)]
                        + MatchedText.spans(entry.role.shownName, filter.text, name) + star),
                .text(entry.role.account, Style(.muted)),
            ]
        }
    }
}

extension Destination {
    static func roles(_ name: SessionName) -> Destination { Destination(RolesScreen(name)) }
}

/// The texts of the list of roles.
package enum RolesWords {
    package static var key: String { tr("roles") }
    package static var help: String { tr("choose an account and a role") }
    package static var none: String { tr("you have no role in any account") }
    package static func opening(_ role: String) -> String { tr("opening the console as {1}", role) }
}
