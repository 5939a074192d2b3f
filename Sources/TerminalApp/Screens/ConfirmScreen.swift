import AuthModel
import TerminalAppModel
import TerminalUI

/// Asks for a confirmation. The harmless answer is selected first.
struct ConfirmScreen: Screen {
    let confirmation: Confirmation
    /// Whether the dangerous answer is selected.
    var isYesSelected = false

    enum Action: Hashable, Sendable {
        case toggle
        case choose
        case yes
        case no
    }

    func bindings(in model: AppModel) -> [KeyBinding<Action>] {
        [
            KeyBinding(Key.enter, action: Action.choose, label: SignOutWords.keyChoose),
            KeyBinding(
                .down, .up, .tab, .backTab, .left, .right, .character("j"), .character("k"), .character("h"), .character("l"),
                action: .toggle,
                label: CommonWords.keyMove),
            KeyBinding(.character("y"), action: .yes, label: confirmation.yes),
            KeyBinding(.character("n"), .escape, action: .no, label: CommonWords.no),
        ]
    }

    func selectedRow(in model: AppModel) -> Int? { isYesSelected ? 1 : 0 }
    mutating func mark(row: Int, in model: AppModel) { isYesSelected = row == 1 }

    mutating func perform(_ action: Action, in model: AppModel) -> ScreenResult {
        switch action {
        case .toggle: isYesSelected.toggle()
        case .choose: return isYesSelected ? go : .back
        case .yes: return go
        case .no: return .back
        }
        return .none
    }

    private var go: ScreenResult { .replace(confirmation.destination) }
}

extension Destination {
    static func confirm(_ confirmation: Confirmation) -> Destination { Destination(ConfirmScreen(confirmation: confirmation)) }
}
