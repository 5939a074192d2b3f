import TerminalUI

/// A few fields, one of which has the keyboard. What may be in them, the screen knows that shows it.
struct Form<ID: Hashable & Sendable>: Equatable, Sendable {
    var fields: [FormField<ID>]
    /// The field with the keyboard; always one that is shown.
    private(set) var focus: ID

    /// What keys mean on every form.
    enum Action: Hashable, Sendable {
        case next
        case previous
        /// On to the next field; from the last one the form is handed in.
        case submit
    }

    /// - Parameter fields: at least one that is shown.
    init(_ first: FormField<ID>, _ others: FormField<ID>...) {
        self.init(first, others)
    }

    init(_ first: FormField<ID>, _ others: [FormField<ID>]) {
        fields = [first] + others
        focus = first.id
    }

    subscript(id: ID) -> FormField<ID>? { fields.first { $0.id == id } }

    var shown: [FormField<ID>] { fields.filter(\.isShown) }
    var isAtTheEnd: Bool { shown.last?.id == focus }
    /// Whether nothing is known to be wrong.
    var isSound: Bool { shown.allSatisfy { $0.problem == nil } }

    /// The keys, for the table of the screen.
    static func bindings<Outer>(_ action: (Action) -> Outer, submit: String) -> [KeyBinding<Outer>] {
        [
            KeyBinding(keys: [.enter], action: action(.submit), label: submit, help: FormWords.helpSubmit),
            KeyBinding(
                keys: [.tab, .down], action: action(.next), label: FormWords.keyNext, help: FormWords.helpNext,
                isHinted: submit != FormWords.keyNext),
            KeyBinding(keys: [.backTab, .up], action: action(.previous), label: FormWords.keyPrevious, isHinted: false),
        ]
    }

    /// Takes what was typed or pasted into the field with the keyboard.
    mutating func take(_ input: TextInput) -> Bool {
        guard let index = fields.firstIndex(where: { $0.id == focus }) else { return false }
        return fields[index].take(input)
    }

    mutating func move(by step: Int) {
        let shown = shown
        guard let index = shown.firstIndex(where: { $0.id == focus }) else { return }
        focus = shown[(index + step + shown.count) % shown.count].id
    }

    /// Gives the keyboard to a field, where it is shown.
    mutating func go(to id: ID) {
        if self[id]?.isShown == true { focus = id }
    }

    /// Gives the keyboard to a field by its place among those that are shown.
    mutating func go(toShown index: Int) {
        let shown = shown
        if shown.indices.contains(index) { focus = shown[index].id }
    }

    mutating func change(_ id: ID, _ change: (inout FormField<ID>) -> Void) {
        guard let index = fields.firstIndex(where: { $0.id == id }) else { return }
        change(&fields[index])
    }

    /// Says what is wrong with some fields, and nothing of the others; the keyboard goes to the first that is wrong.
    mutating func judge(_ problem: (FormField<ID>) -> String?) {
        for index in fields.indices { fields[index].problem = fields[index].isShown ? problem(fields[index]) : nil }
        if let wrong = shown.first(where: { $0.problem != nil }) { focus = wrong.id }
    }
}
