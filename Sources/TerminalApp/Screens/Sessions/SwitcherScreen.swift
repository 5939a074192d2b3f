import AuthModel
import Localization
import TerminalUI

/// Chooses an account by a few letters of its name: to make it the default one, or to use it at once.
struct SwitcherScreen: FilteredScreen {
    var filter = TextFieldContent(limit: Filter.limit)
    /// The sessions that match, the best first; all of them in their order if nothing is typed.
    private(set) var matches: [SessionName] = []
    var selected = 0

    init(in model: AppModel) { matches = found(in: model) }

    /// Returns the selected session; nil if none matches or it is gone.
    func selection(in model: AppModel) -> SessionSummary? {
        matches.indices.contains(selected) ? model.session(matches[selected]) : nil
    }

    func actions(in model: AppModel) -> [Action] {
        let session = selection(in: model)
        let missing = session == nil ? PickerWords.noMatches : nil
        /// Closes the switcher.
        func closing(_ result: (SessionName) -> ScreenResult) -> ScreenResult {
            var result = session.map { result($0.name) } ?? .none
            result.move = .back
            return result
        }
        let opensRoles = session.map { model.hasRoles(at: $0.name.provider) && !model.hasSeveralAccounts(at: $0.name.provider) } ?? false
        return [
            // With one account, there is nothing to switch; what the user wants is one of its roles.
            opensRoles
                ? Action(
                    "choose", [.enter], label: RolesWords.key, help: RolesWords.help, obstacle: model.lockObstacle,
                    result: session.map { .replace(.roles($0.name)) } ?? .none)
                : Action(
                    "choose", [.enter], label: SessionWords.keyMakeDefault, help: SessionWords.helpMakeDefault,
                    obstacle: missing ?? session.flatMap { choiceObstacle($0, in: model) },
                    result: closing { SessionAction.makeDefault.step(for: $0) }),
            Action(
                "copy-token", [.control("y")], label: SessionWords.keyCopy, help: SessionWords.helpCopy,
                obstacle: missing ?? session.flatMap { SessionAction.copyToken.obstacle(for: $0, in: model) },
                result: closing { SessionAction.copyToken.step(for: $0) }),
            // The line has no token: the shell asks for one when it runs the line.
            Action(
                "copy-line", [.control("e")], label: tr("copy export line"), help: tr("copy a shell line that sets ACCESS_TOKEN"),
                obstacle: missing,
                result: closing { .run(.copyText("export ACCESS_TOKEN=\"$(yett token \(ShellWord($0)))\"")) }),
            Action(
                "open", [.control("o")], label: SessionListWords.keyOpen, help: SessionListWords.helpOpen,
                obstacle: missing ?? model.lockObstacle, result: session.map { .replace(.session($0.name)) } ?? .none),
            Action("back", [.escape], label: CommonWords.keyBack, result: .back),
        ]
            + (opensRoles ? [] : SessionAction.roles(of: session, .control("r"), in: model))
            + Movement.actions(label: CommonWords.keyMove, lettersMove: false) {
                $0.selected = $1.from($0.selected, count: $0.matches.count, page: max(1, model.size.rows - 6))
            }
    }

    private func choiceObstacle(_ session: SessionSummary, in model: AppModel) -> String? {
        guard model.hasSeveralAccounts(at: session.name.provider) else {
            return tr("it is the only account at {1}", session.name.provider)
        }
        return SessionAction.makeDefault.obstacle(for: session, in: model)
    }

    func traits(in model: AppModel) -> ScreenTraits {
        ScreenTraits(
            takesText: true, selectedRow: selected, box: .list(rows: matches.count), needsTicks: model.overview.countsDown)
    }

    mutating func match(in model: AppModel) { matches = found(in: model) }

    /// Sessions that ended or began meanwhile change the list; the selection stays on its session.
    mutating func receive(_ message: Message, in model: AppModel) -> ScreenResult {
        guard case .serviceReported(.sessionsChanged) = message else { return .none }
        let name = matches.indices.contains(selected) ? matches[selected] : nil
        matches = found(in: model)
        selected = name.flatMap(matches.firstIndex) ?? min(selected, max(0, matches.count - 1))
        return .none
    }

    static func examples(of session: SessionName, in model: AppModel) -> [SwitcherScreen] { [SwitcherScreen(in: model)] }

    private func found(in model: AppModel) -> [SessionName] {
        let names = (model.sessions ?? []).map(\.name)
        guard !filter.text.isEmpty else { return names }
        let words = filter.text.lowercased().split(separator: " ").map { Array($0.utf8) }
        let scored = names.enumerated().compactMap { index, name -> (place: Int, score: Int)? in
            let text = name.description
            guard words.allSatisfy({ FuzzyMatch.mayMatch($0, text) }), let match = FuzzyMatch(filter.text, in: text) else { return nil }
            return (index, match.score)
        }
        return scored.sorted { ($1.score, $0.place) < ($0.score, $1.place) }.map { names[$0.place] }
    }

    func title(in model: AppModel) -> String { tr("Switch account") }
    func status(in model: AppModel) -> String { SessionListWords.found(matches.count, of: model.sessions?.count ?? 0) }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        let list = FloatingList(
            filter: filter, placeholder: tr("type letters of the account"), rightColumns: 14, count: matches.count, selected: selected)
        list.draw(in: area, model, into: &buffer) { index, glyphs in
            guard let session = model.session(matches[index]) else { return [] }
            let state = model.state(of: session)
            let time = TimeLeft(session, in: model)
            let name = Style(.text, attributes: index == selected ? .bold : [])
            let star = model.isDefault(session.name) ? [TextLine.Span(" " + glyphs.star, Style(.accent))] : []
            return [
                .spans(
                    [
                        Table.pointer(index == selected, glyphs),
                        TextLine.Span("\(Words.glyph(state, glyphs)) ", Style(Words.role(state))),
                    ] + MatchedText.spans(session.name.description, filter.text, name) + star),
                .text(time.column, Style(time.role)),
            ]
        }
    }

    /// Opens the switcher with the sessions of the moment.
    struct Request: ScreenRequest {
        func screen(in context: inout OpeningContext) -> SwitcherScreen { SwitcherScreen(in: context.model) }
    }
}

extension Destination {
    static let switcher = Destination(SwitcherScreen.Request())
}
