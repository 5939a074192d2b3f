import AuthModel
import TerminalUI

/// Asks for a confirmation. The harmless answer is selected first.
struct ConfirmScreen: Screen {
    let confirmation: Confirmation
    /// Whether the dangerous answer is selected.
    var isYesMarked = false

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

    func markedRow(in model: AppModel) -> Int? { isYesMarked ? 1 : 0 }
    mutating func mark(row: Int, in model: AppModel) { isYesMarked = row == 1 }

    mutating func perform(_ action: Action, in model: AppModel) -> ScreenResult {
        switch action {
        case .toggle: isYesMarked.toggle()
        case .choose: return isYesMarked ? go : .back
        case .yes: return go
        case .no: return .back
        }
        return .none
    }

    private var go: ScreenResult { .replace(confirmation.destination) }
}
