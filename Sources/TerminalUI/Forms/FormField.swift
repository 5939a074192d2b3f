/// A field of a ``Form``: its label, its content and its problem.
package struct FormField<ID: Hashable & Sendable>: Equatable, Sendable {
    /// The content of a field.
    package enum Content: Equatable, Sendable {
        /// Text; the placeholder is shown while it is empty.
        case text(TextFieldContent, placeholder: String)
        /// Text that is not shown.
        case secret(SecretField)
        /// One of several options; the arrow keys select one.
        case choice([String], selected: Int)
    }

    /// The identifier within the form.
    package let id: ID
    /// The label before the field.
    package var label: String
    /// The content.
    package var content: Content
    /// Whether the field is visible: some fields depend on others.
    package var isShown = true
    /// The problem with the content, in one line.
    package var problem: String?
    /// Help that is shown while the field has the focus.
    package var help: String?

    /// Creates a visible field without a problem.
    package init(id: ID, label: String, content: Content, help: String? = nil) {
        self.id = id
        self.label = label
        self.content = content
        self.help = help
    }

    /// Returns an empty text field.
    package static func text(_ id: ID, _ label: String, placeholder: String = "", help: String? = nil, limit: Int = 500) -> FormField {
        FormField(id: id, label: label, content: .text(TextFieldContent(limit: limit), placeholder: placeholder), help: help)
    }

    /// Returns a choice with the first option selected.
    package static func choice(_ id: ID, _ label: String, _ options: [String], help: String? = nil) -> FormField {
        FormField(id: id, label: label, content: .choice(options, selected: 0), help: help)
    }

    /// Returns an empty field for a secret.
    package static func secret(_ id: ID, _ label: String, help: String? = nil) -> FormField {
        FormField(id: id, label: label, content: .secret(SecretField()), help: help)
    }

    /// The typed text, without spaces at the ends; empty for fields without text.
    package var text: String {
        guard case .text(let content, _) = content else { return "" }
        let words = content.text.drop { $0 == " " }
        return String(words.reversed().drop { $0 == " " }.reversed())
    }

    /// The index of the selected option; 0 for fields without options.
    package var selected: Int {
        guard case .choice(_, let selected) = content else { return 0 }
        return selected
    }

    /// Inserts typed or pasted text; returns whether the content changed.
    package mutating func take(_ input: TextInput) -> Bool {
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

extension FormField.Content {
    /// The content as a document input.
    package var input: Document.Input {
        switch self {
        case .text(let content, let placeholder): .text(content, placeholder: placeholder)
        case .secret(let content): .secret(content)
        case .choice(let options, let selected):
            .choice(options.indices.contains(selected) ? options[selected] : "", hasOthers: options.count > 1)
        }
    }
}
