import TerminalUI

/// One screen: a value with its keys, what it does about what happens, and how it looks.
///
/// A screen changes itself and nothing else. Whatever is to happen outside of it, it asks for in the ``ScreenResult`` it returns.
protocol Screen: Equatable, Sendable {
    /// What the configuration calls it: `sessions`.
    static var name: String { get }
    /// What its keys mean.
    associatedtype Action: Hashable & Sendable

    /// The keys, the most important first: what decodes them, the footer and the help page read this one table.
    func bindings(in model: AppModel) -> [KeyBinding<Action>]
    /// Why an action cannot work now, as one line; `nil` when it can.
    func obstacle(to action: Action, in model: AppModel) -> String?
    mutating func perform(_ action: Action, in model: AppModel) -> ScreenResult
    /// Anything that happened but a key; every open screen is told.
    mutating func receive(_ message: Message, in model: AppModel) -> ScreenResult

    /// Whether letters are text here, and mean nothing else.
    var takesText: Bool { get }
    /// A key or paste that no binding took, while ``takesText``.
    mutating func type(_ input: TextInput, in model: AppModel) -> ScreenResult

    /// The row of the list that is marked; `nil` for a screen without a list.
    func markedRow(in model: AppModel) -> Int?
    /// Marks a row of the list.
    mutating func mark(row: Int, in model: AppModel)
    /// Gives the keyboard to a field of the form, counted among those that are shown.
    mutating func focus(field: Int, in model: AppModel)

    /// The field with the keyboard, for those who are asked line by line; `nil` for a screen without one.
    func plainField(in model: AppModel) -> PlainField?
    /// Whether it has an answer and is busy with it: somebody who is asked line by line is asked nothing meanwhile.
    func isBusy(in model: AppModel) -> Bool

    /// The heading of the screen.
    func title(in model: AppModel) -> String
    /// A few words at the right of the heading.
    func status(in model: AppModel) -> String
    /// Whether something on it changes by the second.
    func isTimed(in model: AppModel) -> Bool
    /// Draws into `area`, and never outside of it.
    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer)
}

/// What a screen may be given.
enum ScreenInput: Equatable, Sendable {
    case key(Key)
    case paste(PastedText)
    /// A row of the list was pressed.
    case row(Int)
    /// A field of the form was pressed.
    case field(Int)
    /// Anything that happened but a key.
    case message(Message)
}

/// Text that a person put in.
enum TextInput: Equatable, Sendable {
    case key(Key)
    case paste(PastedText)
}

extension Screen {
    /// What the footer shows.
    func keyHints(in model: AppModel) -> [KeyHint] {
        // Down stands for both ways in the table, as a binding does one thing.
        keys(in: model).hints.map { $0.keys == [.down] ? KeyHint(keys: [.up, .down], label: $0.label) : $0 }
    }
    /// What the help page shows.
    func keyHelp(in model: AppModel) -> [KeyHint] { keys(in: model).help }

    /// Takes a key, a paste or a message; `nil` when it means nothing here.
    mutating func take(_ input: ScreenInput, in model: AppModel) -> ScreenResult? {
        switch input {
        case .message(let message): return receive(message, in: model)
        case .row(let row):
            // A press marks; one on what is marked already is Enter.
            if markedRow(in: model) == row { return take(.key(.enter), in: model) }
            mark(row: row, in: model)
            return ScreenResult.none
        case .field(let field):
            focus(field: field, in: model)
            return ScreenResult.none
        case .paste(let text): return takesText ? type(.paste(text), in: model) : nil
        case .key(let key):
            switch keys(in: model).decide(key) {
            case .action(let action): return perform(action, in: model)
            case .unavailable(let reason): return .say(reason, .warning)
            case .unbound:
                // What holds on every screen holds in a field, too.
                guard takesText, GlobalAction.bindings(takesText: true, in: model).decide(key) == .unbound else { return nil }
                return type(.key(key), in: model)
            }
        }
    }
}

extension TextFieldContent {
    /// Takes what was typed or pasted.
    mutating func take(_ input: TextInput) {
        switch input {
        case .key(let key): _ = handle(key)
        case .paste(let text): paste(text)
        }
    }
}

extension SecretField {
    /// Takes what was typed or pasted; a paste never submits.
    mutating func take(_ input: TextInput) {
        switch input {
        case .key(let key): _ = handle(key)
        case .paste(let text): paste(text)
        }
    }
}

extension Screen {
    /// The table with the reasons of what does not work now.
    func keys(in model: AppModel) -> KeyMap<Action> {
        let bindings =
            model.keys.isEmpty ? bindings(in: model) : model.keys.applied(to: bindings(in: model), on: Self.name, takesText: takesText)
        return KeyMap(bindings.map { $0.unavailable(because: obstacle(to: $0.action, in: model)) })
    }

    static var name: String {
        let type = "\(Self.self)"
        return ActionName.of(type.hasSuffix("Screen") ? String(type.dropLast("Screen".count)) : type)
    }
    func obstacle(to action: Action, in model: AppModel) -> String? { nil }
    mutating func receive(_ message: Message, in model: AppModel) -> ScreenResult { .none }
    func plainField(in model: AppModel) -> PlainField? { nil }
    func isBusy(in model: AppModel) -> Bool { false }
    func markedRow(in model: AppModel) -> Int? { nil }
    mutating func mark(row: Int, in model: AppModel) {}
    mutating func focus(field: Int, in model: AppModel) {}
    var takesText: Bool { false }
    mutating func type(_ input: TextInput, in model: AppModel) -> ScreenResult { .none }
    func status(in model: AppModel) -> String { "" }
    func isTimed(in model: AppModel) -> Bool { false }
}
