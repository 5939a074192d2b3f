import TerminalUI

/// One field of a ``Form``: what it is called, what is in it, and what is wrong with that.
struct FormField<ID: Hashable & Sendable>: Equatable, Sendable {
    /// What a field takes.
    enum Content: Equatable, Sendable {
        case text(TextFieldContent, placeholder: String)
        case secret(SecretField)
        /// One of a few; the arrows go through them.
        case choice([String], selected: Int)
    }

    let id: ID
    var label: String
    var content: Content
    /// Whether it is there at all: some fields depend on others.
    var isShown = true
    /// What is wrong with what is in it, one line.
    var problem: String?
    /// What to know about it, shown while it has the keyboard.
    var help: String?

    static func text(_ id: ID, _ label: String, placeholder: String = "", help: String? = nil, limit: Int = 500) -> FormField {
        FormField(id: id, label: label, content: .text(TextFieldContent(limit: limit), placeholder: placeholder), help: help)
    }

    static func choice(_ id: ID, _ label: String, _ options: [String], help: String? = nil) -> FormField {
        FormField(id: id, label: label, content: .choice(options, selected: 0), help: help)
    }

    static func secret(_ id: ID, _ label: String, help: String? = nil) -> FormField {
        FormField(id: id, label: label, content: .secret(SecretField()), help: help)
    }

    /// What was typed, without blanks at the ends; empty for fields that take no text.
    var text: String {
        guard case .text(let content, _) = content else { return "" }
        let words = content.text.drop { $0 == " " }
        return String(words.reversed().drop { $0 == " " }.reversed())
    }

    /// Which of the choices is taken; 0 for fields that offer none.
    var selected: Int {
        guard case .choice(_, let selected) = content else { return 0 }
        return selected
    }

    /// Takes what was typed or pasted; whether it changed anything.
    mutating func take(_ input: TextInput) -> Bool {
        let before = content
        switch content {
        case .text(var field, let placeholder):
            field.take(input)
            content = .text(field, placeholder: placeholder)
        case .secret(var field):
            field.take(input)
            content = .secret(field)
        case .choice(let options, let selected):
            guard case .key(let key) = input, !options.isEmpty else { return false }
            let step = [Key.right, .character(" ")].contains(key) ? 1 : key == .left ? options.count - 1 : 0
            content = .choice(options, selected: (selected + step) % options.count)
        }
        if content != before { problem = nil }
        return content != before
    }
}
