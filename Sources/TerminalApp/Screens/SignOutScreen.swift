import AuthModel
import TerminalAppModel
import TerminalUI

/// Asks how to end a session.
struct SignOutScreen: Screen {
    let name: SessionName
    var selected = 0

    /// Returns the choices that the provider supports, the default first. If the session was made from a signed-in session of another
    /// provider, that one can end with it.
    func choices(in model: AppModel) -> [SignOutMode] {
        let provider = model.provider(name.provider)
        let base = provider?.base?.provider
        let hasBase = model.sessions?.contains { $0.name.provider == base && $0.recordedState != .guest } ?? false
        return (provider?.revokes == false ? [] : [.revoke]) + (hasBase ? [.withBase] : [])
            + (provider?.hasBrowserSession == false ? [] : [.endBrowserSession]) + [.localOnly]
    }

    enum Action: Hashable, Sendable {
        case move(Movement)
        case choose
        case number(Int)
        case back
    }

    func bindings(in model: AppModel) -> [KeyBinding<Action>] {
        [KeyBinding(Key.enter, action: Action.choose, label: SignOutWords.keyChoose)]
            + choices(in: model).enumerated().map { index, mode in
                KeyBinding(
                    Key.character(Character(String(index + 1))), action: .number(index),
                    label: SignOutWords.choice(mode, for: name, in: model).title, isHinted: false)
            }
            + [KeyBinding(.escape, .left, .character("h"), .character("n"), action: .back, label: SignOutWords.keyKeep)]
            + Movement.bindings(Action.move, label: CommonWords.keyMove, tabMoves: true)
    }

    func selectedRow(in model: AppModel) -> Int? { selected }
    mutating func mark(row: Int, in model: AppModel) { selected = row }

    mutating func perform(_ action: Action, in model: AppModel) -> ScreenResult {
        let choices = choices(in: model)
        switch action {
        case .move(let movement):
            selected = movement.from(selected, count: choices.count, page: choices.count)
            return .none
        case .choose: return .replace(.signingOut(name, choices[min(max(0, selected), choices.count - 1)]))
        case .number(let index):
            guard choices.indices.contains(index) else { return .none }
            return .replace(.signingOut(name, choices[index]))
        case .back: return .back
        }
    }

    static func examples(of session: SessionName, in model: AppModel) -> [SignOutScreen] { [SignOutScreen(name: session)] }
}

extension Destination {
    static func signOutChoice(_ name: SessionName) -> Destination { Destination(SignOutScreen(name: name)) }
}
