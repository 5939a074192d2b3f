/// A form with one focused field. The screen that shows it validates the fields.
package struct Form<ID: Hashable & Sendable>: Equatable, Sendable {
    /// All fields in display order.
    package var fields: [FormField<ID>]
    /// The focused field; always a visible one.
    package private(set) var focus: ID

    /// The key actions of every form.
    package enum Action: Hashable, Sendable {
        /// Moves to the next field.
        case next
        /// Moves to the previous field.
        case previous
        /// Moves to the next field; on the last one, submits the form.
        case submit
    }

    /// Creates a form; the first field, which is a visible one, gets the focus.
    package init(_ first: FormField<ID>, _ others: [FormField<ID>]) {
        fields = [first] + others
        focus = first.id
    }

    /// The field with an identifier.
    package subscript(id: ID) -> FormField<ID>? { fields.first { $0.id == id } }

    /// The visible fields.
    package var shown: [FormField<ID>] { fields.filter(\.isShown) }
    /// Whether the last visible field has the focus.
    package var isOnLastField: Bool { shown.last?.id == focus }
    /// The first visible field that is empty and must not be.
    package var missing: ID? { shown.first { $0.isRequired && $0.text.isEmpty }?.id }
    /// Whether no visible field has a problem.
    package var isValid: Bool { shown.allSatisfy { $0.problem == nil } }

    /// Passes typed or pasted text to the focused field.
    package mutating func type(_ input: TextInput) -> Bool {
        guard let index = fields.firstIndex(where: { $0.id == focus }) else { return false }
        return fields[index].type(input)
    }

    /// Moves the focus by `step` visible fields, from the last to the first.
    package mutating func move(by step: Int) {
        let shown = shown
        guard let index = shown.firstIndex(where: { $0.id == focus }) else { return }
        focus = shown[(index + step + shown.count) % shown.count].id
    }

    /// Focuses a field, if it is visible.
    package mutating func go(to id: ID) {
        if self[id]?.isShown == true { focus = id }
    }

    /// Focuses a field by its index among the visible ones.
    package mutating func go(toShown index: Int) {
        let shown = shown
        if shown.indices.contains(index) { focus = shown[index].id }
    }

    /// Changes the field with an identifier.
    package mutating func change(_ id: ID, _ change: (inout FormField<ID>) -> Void) {
        guard let index = fields.firstIndex(where: { $0.id == id }) else { return }
        change(&fields[index])
    }

    /// Sets or clears the problem of every field, and focuses the first visible field with a problem.
    package mutating func validate(_ problem: (FormField<ID>) -> String?) {
        for index in fields.indices { fields[index].problem = fields[index].isShown ? problem(fields[index]) : nil }
        if let wrong = shown.first(where: { $0.problem != nil }) { focus = wrong.id }
    }
}

/// The content of a form's field.
package enum FieldContent: Equatable, Sendable {
    /// Text; the placeholder is shown while it is empty.
    case text(TextFieldContent, placeholder: String)
    /// Text that is not shown.
    case secret(SecretField)
    /// One of several options; the arrow keys select one.
    case choice([String], selected: Int)
    /// A button that submits the form; its text is the label.
    case button
}

/// A field of a ``Form``: its label, its content and its problem.
package struct FormField<ID: Hashable & Sendable>: Equatable, Sendable {
    /// The identifier within the form.
    package let id: ID
    /// The label before the field.
    package var label: String
    /// The content.
    package var content: FieldContent
    /// The title of the group that the field belongs to; nil for none. The fields of a group follow each other.
    package var group: String?
    /// Whether the form cannot be submitted while the field is empty.
    package var isRequired = false
    /// Whether the field is visible: some fields depend on others.
    package var isShown = true
    /// The problem with the content, in one line.
    package var problem: String?
    /// Help that is shown while the field has the focus.
    package var help: String?

    /// Creates a visible field without a problem.
    package init(id: ID, label: String, content: FieldContent, help: String? = nil) {
        self.id = id
        self.label = label
        self.content = content
        self.help = help
    }

    /// Returns an empty text field.
    package static func text(_ id: ID, _ label: String, placeholder: String = "", help: String? = nil, limit: Int = 500) -> FormField {
        FormField(id: id, label: label, content: .text(TextFieldContent(limit: limit), placeholder: placeholder), help: help)
    }

    /// Returns a button that submits the form.
    package static func button(_ id: ID, _ label: String) -> FormField { FormField(id: id, label: label, content: .button) }

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
    package mutating func type(_ input: TextInput) -> Bool {
        let before = content
        switch content {
        case .text(var field, let placeholder):
            field.type(input)
            content = .text(field, placeholder: placeholder)
        case .secret(var field):
            field.type(input)
            content = .secret(field)
        case .choice(let options, let selected):
            guard case .key(let key) = input, !options.isEmpty else { return false }
            let step = [Key.right, .character(" ")].contains(key) ? 1 : key == .left ? options.count - 1 : 0
            content = .choice(options, selected: (selected + step) % options.count)
        case .button: return false
        }
        if content != before { problem = nil }
        return content != before
    }
}

/// Draws a choice between arrows, which show that there are other options.
struct ChoiceField: Component {
    let text: String
    let hasOthers: Bool
    let isFocused: Bool
    let ground: Style

    func draw(in rect: Rect, into buffer: inout ScreenBuffer) {
        let line = rect.row(0)
        buffer.fill(line, style: ground)
        var style = ground.with(isFocused ? .accent : .text)
        if isFocused { style.attributes.insert(.bold) }
        let isUnicode = buffer.glyphs == .unicode
        let marked = hasOthers ? "\(isUnicode ? "◂" : "<") \(text) \(isUnicode ? "▸" : ">")" : text
        buffer.write(marked, in: line, style: style)
        if isFocused { buffer.cursor = line.origin }
    }
}
