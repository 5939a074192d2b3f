import TerminalUI

/// A form with one focused field. The screen that shows it validates the fields.
struct Form<ID: Hashable & Sendable>: Equatable, Sendable {
    var fields: [FormField<ID>]
    /// The focused field; always a visible one.
    private(set) var focus: ID

    /// The key actions of every form.
    enum Action: Hashable, Sendable {
        case next
        case previous
        /// Moves to the next field; on the last one, submits the form.
        case submit
    }

    /// Creates a form.
    ///
    /// - Parameter first: a visible field, which gets the focus.
    init(_ first: FormField<ID>, _ others: FormField<ID>...) {
        self.init(first, others)
    }

    init(_ first: FormField<ID>, _ others: [FormField<ID>]) {
        fields = [first] + others
        focus = first.id
    }

    subscript(id: ID) -> FormField<ID>? { fields.first { $0.id == id } }

    var shown: [FormField<ID>] { fields.filter(\.isShown) }
    var isOnLastField: Bool { shown.last?.id == focus }
    /// Whether no visible field has a problem.
    var isValid: Bool { shown.allSatisfy { $0.problem == nil } }

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

    /// Passes typed or pasted text to the focused field.
    mutating func take(_ input: TextInput) -> Bool {
        guard let index = fields.firstIndex(where: { $0.id == focus }) else { return false }
        return fields[index].take(input)
    }

    mutating func move(by step: Int) {
        let shown = shown
        guard let index = shown.firstIndex(where: { $0.id == focus }) else { return }
        focus = shown[(index + step + shown.count) % shown.count].id
    }

    /// Focuses a field, if it is visible.
    mutating func go(to id: ID) {
        if self[id]?.isShown == true { focus = id }
    }

    /// Focuses a field by its index among the visible ones.
    mutating func go(toShown index: Int) {
        let shown = shown
        if shown.indices.contains(index) { focus = shown[index].id }
    }

    mutating func change(_ id: ID, _ change: (inout FormField<ID>) -> Void) {
        guard let index = fields.firstIndex(where: { $0.id == id }) else { return }
        change(&fields[index])
    }

    /// Sets or clears the problem of every field, and focuses the first visible field with a problem.
    mutating func validate(_ problem: (FormField<ID>) -> String?) {
        for index in fields.indices { fields[index].problem = fields[index].isShown ? problem(fields[index]) : nil }
        if let wrong = shown.first(where: { $0.problem != nil }) { focus = wrong.id }
    }
}
