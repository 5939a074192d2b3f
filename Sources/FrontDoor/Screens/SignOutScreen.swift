import AuthModel
import TerminalUI

/// Asks once, in words, how a session is to end.
struct SignOutScreen: Screen {
    let name: SessionName
    var selected = 0

    /// What is offered, the usual way first.
    static let choices: [SignOutMode] = [.revoke, .endBrowserSession, .localOnly]

    enum Action: Hashable, Sendable {
        case move(Movement)
        case choose
        case number(Int)
        case back
    }

    func bindings(in world: World) -> [KeyBinding<Action>] {
        [KeyBinding(Key.enter, action: Action.choose, label: SignOutWords.keyChoose)]
            + Self.choices.indices.map {
                KeyBinding(
                    Key.character(Character(String($0 + 1))), action: .number($0), label: SignOutWords.choice(Self.choices[$0]).title,
                    isHinted: false)
            }
            + [KeyBinding(.escape, .left, .character("h"), .character("n"), action: .back, label: SignOutWords.keyKeep)]
            + Movement.bindings(Action.move, label: CommonWords.keyMove)
    }

    func markedRow(in world: World) -> Int? { selected }
    mutating func mark(row: Int, in world: World) { selected = row }

    mutating func perform(_ action: Action, in world: World) -> Step {
        switch action {
        case .move(let movement):
            selected = movement.from(selected, count: Self.choices.count, page: Self.choices.count)
            return .none
        case .choose: return .replace(.signingOut(name, Self.choices[min(max(0, selected), Self.choices.count - 1)]))
        case .number(let index):
            guard Self.choices.indices.contains(index) else { return .none }
            return .replace(.signingOut(name, Self.choices[index]))
        case .back: return .back
        }
    }
}
