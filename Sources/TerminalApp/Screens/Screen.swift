import TerminalUI

/// A screen: a value with its keys, its update function and its drawing.
///
/// A screen changes only itself. It requests every other effect with the ``ScreenResult`` that it returns.
protocol Screen: Equatable, Sendable {
    /// The screen's name in the configuration: `sessions`.
    static var name: String { get }
    /// The actions of the screen's keys.
    associatedtype Action: Hashable & Sendable

    /// Returns the key bindings, the most important first. The decoder, the footer and the help page use this one table.
    func bindings(in model: AppModel) -> [KeyBinding<Action>]
    /// Returns why an action is not available now, in one line; nil if it is.
    func obstacle(to action: Action, in model: AppModel) -> String?
    mutating func perform(_ action: Action, in model: AppModel) -> ScreenResult
    /// Handles any message that is not user input; every open screen gets it.
    mutating func receive(_ message: Message, in model: AppModel) -> ScreenResult

    /// Whether letters are text on this screen.
    var takesText: Bool { get }
    /// Handles a key or a paste without a binding, while ``takesText`` is true.
    mutating func type(_ input: TextInput, in model: AppModel) -> ScreenResult

    /// Returns the selected row of the list; nil for a screen without a list.
    func selectedRow(in model: AppModel) -> Int?
    /// Selects a row of the list.
    mutating func mark(row: Int, in model: AppModel)
    /// Focuses a field of the form, by its index among the visible fields.
    mutating func focus(field: Int, in model: AppModel)

    /// Returns the focused field for the plain-prompt mode; nil for a screen without fields.
    func plainField(in model: AppModel) -> PlainField?
    /// Returns whether the screen is processing an answer: the plain-prompt mode asks no question meanwhile.
    func isBusy(in model: AppModel) -> Bool

    /// Returns the title of the screen.
    func title(in model: AppModel) -> String
    /// Returns a short text at the right of the title.
    func status(in model: AppModel) -> String
    /// Returns whether the screen changes every second.
    func needsTicks(in model: AppModel) -> Bool
    /// Draws into `area`, never outside it.
    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer)
}

/// An input for a screen.
enum ScreenInput: Equatable, Sendable {
    case key(Key)
    case paste(PastedText)
    /// A click on a row of the list.
    case row(Int)
    /// A click on a field of the form.
    case field(Int)
    /// Any message that is not user input.
    case message(Message)
}

/// Text from the user.
enum TextInput: Equatable, Sendable {
    case key(Key)
    case paste(PastedText)
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

extension TextFieldContent {
    /// Handles typed or pasted text.
    mutating func take(_ input: TextInput) {
        switch input {
        case .key(let key): _ = handle(key)
        case .paste(let text): paste(text)
        }
    }
}

extension SecretField {
    /// Handles typed or pasted text; a paste never submits.
    mutating func take(_ input: TextInput) {
        switch input {
        case .key(let key): _ = handle(key)
        case .paste(let text): paste(text)
        }
    }
}

extension Screen {
    /// Returns the key table with the reasons for unavailable keys.
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
    func selectedRow(in model: AppModel) -> Int? { nil }
    mutating func mark(row: Int, in model: AppModel) {}
    mutating func focus(field: Int, in model: AppModel) {}
    var takesText: Bool { false }
    mutating func type(_ input: TextInput, in model: AppModel) -> ScreenResult { .none }
    func status(in model: AppModel) -> String { "" }
    func needsTicks(in model: AppModel) -> Bool { false }
}
