import TerminalUI

/// The field of a screen that has the keyboard, as a question on a line of its own.
struct PlainField: Equatable, Sendable {
    enum Kind: Equatable, Sendable {
        /// With what is in it already.
        case text(String)
        /// Nothing of it is shown.
        case secret
        case choice([String], selected: Int)
    }

    var label: String
    var kind: Kind
    var help: String?
    var problem: String?
}

extension Form {
    /// The field with the keyboard.
    var plainField: PlainField? {
        guard let field = self[focus] else { return nil }
        let kind: PlainField.Kind =
            switch field.content {
            case .text(let content, _): .text(content.text)
            case .secret: .secret
            case .choice(let options, let selected): .choice(options, selected: selected)
            }
        return PlainField(label: field.label, kind: kind, help: field.help, problem: field.problem)
    }
}
