package import AuthModel
import Localization
import TerminalUI

/// Chooses an account by a few letters of its name: to make it the default one, or to use it at once.
struct SwitcherScreen: Screen {
    var filter = TextFieldContent(limit: Filter.limit)
    /// The sessions that match, the best first; all of them in their order if nothing is typed.
    private(set) var matches: [SessionName] = []
    private(set) var selected = 0

    enum Action: Hashable, Sendable {
        case move(Movement)
        case choose
        case copyToken
        case copyLine
        case open
        case back
    }

    init(in model: AppModel) { matches = found(in: model) }

    /// Returns the selected session; nil if none matches or it is gone.
    func selection(in model: AppModel) -> SessionSummary? {
        matches.indices.contains(selected) ? model.session(matches[selected]) : nil
    }

    func bindings(in model: AppModel) -> [KeyBinding<Action>] {
        [
            KeyBinding(Key.enter, action: Action.choose, label: SessionWords.keyActivate, help: SessionWords.helpActivate),
            KeyBinding(.control("y"), action: .copyToken, label: SessionWords.keyCopy, help: SessionWords.helpCopy),
            KeyBinding(.control("e"), action: .copyLine, label: SwitcherWords.keyLine, help: SwitcherWords.helpLine),
            KeyBinding(.control("o"), action: .open, label: SessionsWords.keyOpen, help: SessionsWords.helpOpen),
            KeyBinding(.escape, action: .back, label: CommonWords.keyBack),
        ] + Movement.bindings(Action.move, label: CommonWords.keyMove, lettersMove: false)
    }

    func obstacle(to action: Action, in model: AppModel) -> String? {
        switch action {
        case .move, .back: return nil
        case .choose, .copyToken, .copyLine, .open:
            guard let session = selection(in: model) else { return PickerWords.noMatches }
            switch action {
            case .choose:
                if !model.hasSeveralAccounts(at: session.name.provider) { return SwitcherWords.onlyAccount(session.name.provider) }
                return SessionActionObstacle.to(.makeActive, session, in: model)
            case .copyToken: return SessionActionObstacle.to(.copyToken, session, in: model)
            case .open: return model.isLocked ? LockWords.locked : nil
            default: return nil
            }
        }
    }

    mutating func perform(_ action: Action, in model: AppModel) -> ScreenResult {
        switch action {
        case .move(let movement):
            selected = movement.from(selected, count: matches.count, page: max(1, model.size.rows - 6))
            return .none
        case .back: return .back
        case .choose, .copyToken, .copyLine, .open:
            guard let name = selection(in: model)?.name else { return .none }
            switch action {
            case .choose: return Self.closing(SessionAction.makeActive.step(for: name))
            case .copyToken: return Self.closing(SessionAction.copyToken.step(for: name))
            // The line has no token: the shell asks for one when it runs the line.
            case .copyLine: return Self.closing(.run(.copyText("export ACCESS_TOKEN=\"$(yett token \(ShellWord(name)))\"")))
            default: return .replace(.session(name))
            }
        }
    }

    private static func closing(_ result: ScreenResult) -> ScreenResult {
        var result = result
        result.move = .back
        return result
    }

    var takesText: Bool { true }

    mutating func type(_ input: TextInput, in model: AppModel) -> ScreenResult {
        let before = filter.text
        filter.take(input)
        guard filter.text != before else { return .none }
        matches = found(in: model)
        selected = 0
        return .none
    }

    /// Sessions that ended or began meanwhile change the list; the selection stays on its session.
    mutating func receive(_ message: Message, in model: AppModel) -> ScreenResult {
        guard case .serviceReported(.sessionsChanged) = message else { return .none }
        let name = matches.indices.contains(selected) ? matches[selected] : nil
        matches = found(in: model)
        selected = name.flatMap(matches.firstIndex) ?? min(selected, max(0, matches.count - 1))
        return .none
    }

    func selectedRow(in model: AppModel) -> Int? { selected }
    mutating func mark(row: Int, in model: AppModel) { selected = row }
    func needsTicks(in model: AppModel) -> Bool { model.overview.countsDown }
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
}

extension SwitcherScreen {
    func title(in model: AppModel) -> String { SwitcherWords.title }
    func status(in model: AppModel) -> String { SessionsWords.found(matches.count, of: model.sessions?.count ?? 0) }
    var floats: Bool { true }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        let list = FloatingList(
            filter: filter, placeholder: SwitcherWords.placeholder, rightColumns: 11, count: matches.count, selected: selected)
        list.draw(in: area, into: &buffer) { index, glyphs in
            guard let session = model.session(matches[index]) else { return [] }
            let state = model.state(of: session)
            let time = TimeLeft(session, in: model)
            let name = Style(.text, attributes: index == selected ? .bold : [])
            let star = model.isActive(session.name) ? [TextLine.Span(" " + glyphs.star, Style(.accent))] : []
            return [
                .spans(
                    [
                        ListTable.pointer(index == selected, glyphs),
                        TextLine.Span("\(Words.glyph(state, glyphs)) ", Style(Words.role(state))),
                    ] + MatchedText.spans(session.name.description, filter.text, name) + star),
                .text(time.words, Style(time.role)),
            ]
        }
    }
}

extension Destination {
    static let switcher = Destination(SwitcherScreen.Request())
}

extension SwitcherScreen {
    /// Opens the switcher with the sessions of the moment.
    struct Request: ScreenRequest {
        func screen(in context: inout OpeningContext) -> SwitcherScreen { SwitcherScreen(in: context.model) }
    }
}

/// The texts of the quick switcher.
package enum SwitcherWords {
    package static var title: String { tr("Switch account") }
    package static var key: String { tr("switch") }
    package static var help: String { tr("choose an account by its name") }
    package static var placeholder: String { tr("type letters of the account") }
    package static var keyLine: String { tr("copy export line") }
    package static var helpLine: String { tr("copy a shell line that sets ACCESS_TOKEN") }
    package static var noSession: String { tr("there is no session to switch to") }
    package static func onlyAccount(_ provider: ProviderName) -> String { tr("it is the only account at {1}", provider) }
}
