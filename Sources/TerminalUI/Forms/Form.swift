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

    /// Creates a form.
    ///
    /// - Parameter first: a visible field, which gets the focus.
    package init(_ first: FormField<ID>, _ others: FormField<ID>...) {
        self.init(first, others)
    }

    /// Creates a form from a list of fields; the first one gets the focus.
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
    /// Whether no visible field has a problem.
    package var isValid: Bool { shown.allSatisfy { $0.problem == nil } }

    /// Passes typed or pasted text to the focused field.
    package mutating func take(_ input: TextInput) -> Bool {
        guard let index = fields.firstIndex(where: { $0.id == focus }) else { return false }
        return fields[index].take(input)
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
