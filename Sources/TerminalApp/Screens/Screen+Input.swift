import TerminalAppModel
import TerminalUI

/// An input for a screen.
enum ScreenInput: Equatable, Sendable {
    case key(Key)
    case paste(PastedText)
    /// A click on a row of the list.
    case row(Int)
    /// A click on a field of the form.
    case field(Int)
    /// A click on another part of the screen.
    case part(Int)
    /// Any message that is not user input.
    case message(Message)
}

extension Screen {
    /// Returns the hints for the footer.
    func keyHints(in model: AppModel) -> [KeyHint] {
        // A binding has one action, so the hint for Down stands for Up as well.
        keys(in: model).hints.map { $0.keys == [.down] ? KeyHint(keys: [.up, .down], label: $0.label) : $0 }
    }
    /// Returns the hints for the help page.
    func keyHelp(in model: AppModel) -> [KeyHint] { keys(in: model).help }

    /// Handles an input; nil if it has no meaning here.
    mutating func take(_ input: ScreenInput, in model: AppModel) -> ScreenResult? {
        switch input {
        case .message(let message): return receive(message, in: model)
        case .row(let row):
            // A click selects a row; a click on the selected row is Enter.
            if selectedRow(in: model) == row { return take(.key(.enter), in: model) }
            mark(row: row, in: model)
            return ScreenResult.none
        case .part(let part): return choose(part: part, in: model)
        case .field(let field):
            focus(field: field, in: model)
            return ScreenResult.none
        case .paste(let text): return takesText ? type(.paste(text), in: model) : nil
        case .key(let key):
            switch keys(in: model).decide(key) {
            case .action(let action): return perform(action, in: model)
            case .unavailable(let reason): return .say(reason, .warning)
            case .unbound:
                // Global keys work in a field too.
                guard takesText, GlobalAction.bindings(takesText: true, in: model).decide(key) == .unbound else { return nil }
                return type(.key(key), in: model)
            }
        }
    }
}
