import TerminalAppModel
import TerminalUI

extension Form {
    /// Returns the form's key bindings for a screen's table.
    static func bindings<Outer>(_ action: (Action) -> Outer, submit: String) -> [KeyBinding<Outer>] {
        [
            KeyBinding(keys: [.enter], action: action(.submit), label: submit, help: FormWords.helpSubmit),
            KeyBinding(
                keys: [.tab, .down], action: action(.next), label: FormWords.keyNext, help: FormWords.helpNext,
                isHinted: submit != FormWords.keyNext),
            KeyBinding(keys: [.backTab, .up], action: action(.previous), label: FormWords.keyPrevious, isHinted: false),
        ]
    }
}
