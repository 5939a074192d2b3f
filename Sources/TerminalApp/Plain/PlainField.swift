import TerminalUI

/// The focused field of a screen, as a question on its own line.
struct PlainField: Equatable, Sendable {
    enum Kind: Equatable, Sendable {
        /// Text, with its current content.
        case text(String)
        /// Text that is not shown while it is typed.
        case secret
        case choice([String], selected: Int)
    }

    var label: String
    var kind: Kind
    var help: String?
    var problem: String?
}

extension Form {
    /// The focused field.
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
