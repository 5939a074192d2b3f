import AuthModel
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

    /// Called after each input; returns the commands that read what the screen shows now.
    mutating func settle(in model: AppModel) -> [Command]

    /// Whether letters are text on this screen.
    var takesText: Bool { get }
    /// Handles a key or a paste without a binding, while ``takesText`` is true.
    mutating func type(_ input: TextInput, in model: AppModel) -> ScreenResult

    /// Returns the selected row of the list; nil for a screen without a list.
    func selectedRow(in model: AppModel) -> Int?
    /// Selects a row of the list.
    mutating func mark(row: Int, in model: AppModel)
    /// Handles a click on a part of the screen that is neither a row nor a field, by the number that the drawing gave it.
    mutating func choose(part: Int, in model: AppModel) -> ScreenResult
    /// Selects the row of a session, if the screen lists it.
    mutating func select(_ session: SessionName, in model: AppModel)
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
    /// Returns the line above the keys, which the app shows while it has no notice; nil for none.
    func strip(in model: AppModel, columns: Int, glyphs: GlyphSet) -> TextLine?
    /// Returns whether the screen shows an animation.
    func isAnimated(in model: AppModel) -> Bool
    /// Returns whether the screen changes every second.
    func needsTicks(in model: AppModel) -> Bool
    /// Whether the screen is drawn in a box above the one below it, where the terminal has space for both.
    var floats: Bool { get }
    /// Draws into `area`, never outside it.
    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer)

    /// The commands to run when the screen opens.
    var openingCommands: [Command] { get }
    /// The commands to run when the user leaves the screen.
    var closingCommands: [Command] { get }
    /// The notice after Ctrl-C has stopped the screen's work; nil if the screen does no work, so that Ctrl-C quits.
    var interruptionNotice: Notice? { get }
    /// The session that the screen would forget. The app then waits for an undo, instead of opening the screen.
    var sessionToForget: SessionName? { get }
    /// Whether the screen stays open when the app returns to its first screen.
    var staysOpenAtHome: Bool { get }
    /// Handles becoming visible again, after the screens above it were closed.
    mutating func uncover()
    /// Whether a problem screen may open above this one; otherwise a problem is a notice.
    var allowsProblemAbove: Bool { get }
    /// Returns whether the screen shows the result in `message`, so that the app shows no notice about it.
    func reports(_ message: Message) -> Bool
    /// Returns the name of the theme to draw with instead of the selected one.
    func previewedTheme(in model: AppModel) -> String?
    /// Whether the screen needs ticks even as plain prompts, where no countdown is visible.
    var ticksAsPlainPrompts: Bool { get }

    /// Returns the screen if it can be the app's first one in this state; nil otherwise.
    static func home(in model: AppModel) -> Self?
    /// Returns whether the screen, as the app's first one, stays in this state.
    func staysHome(in model: AppModel) -> Bool
    /// Returns the actions of this screen that the palette offers on every screen.
    static func paletteEntries(in model: AppModel) -> [PaletteScreen.Entry]
    /// Returns examples of the screen, one for each of its key tables. The configuration accepts the keys of these tables, and the
    /// documentation lists them. Empty if the keys are fixed.
    ///
    /// - Parameter session: a session's name, for a screen that shows a session.
    static func examples(of session: SessionName, in model: AppModel) -> [Self]
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
    mutating func choose(part: Int, in model: AppModel) -> ScreenResult { .none }
    mutating func select(_ session: SessionName, in model: AppModel) {}
    mutating func focus(field: Int, in model: AppModel) {}
    mutating func settle(in model: AppModel) -> [Command] { [] }
    var takesText: Bool { false }
    mutating func type(_ input: TextInput, in model: AppModel) -> ScreenResult { .none }
    func status(in model: AppModel) -> String { "" }
    func strip(in model: AppModel, columns: Int, glyphs: GlyphSet) -> TextLine? { nil }
    func isAnimated(in model: AppModel) -> Bool { false }
    func needsTicks(in model: AppModel) -> Bool { false }

    var floats: Bool { false }
    var openingCommands: [Command] { [] }
    var closingCommands: [Command] { [] }
    var interruptionNotice: Notice? { nil }
    var sessionToForget: SessionName? { nil }
    var staysOpenAtHome: Bool { false }
    mutating func uncover() {}
    var allowsProblemAbove: Bool { false }
    func reports(_ message: Message) -> Bool { false }
    func previewedTheme(in model: AppModel) -> String? { nil }
    var ticksAsPlainPrompts: Bool { false }
    static func home(in model: AppModel) -> Self? { nil }
    func staysHome(in model: AppModel) -> Bool { false }
    static func paletteEntries(in model: AppModel) -> [PaletteScreen.Entry] { [] }
    static func examples(of session: SessionName, in model: AppModel) -> [Self] { [] }
}

/// An input for a screen.
enum ScreenInput: Equatable, Sendable {
    case key(Key)
    case paste(PastedText)
    /// A click on a row of the list.
    case row(Int)
    /// A click on a field of the form.
    case field(Int)
    /// A click on another part of the screen.
    case part(Int)
    /// Any message that is not user input.
    case message(Message)
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
        case .part(let part): return choose(part: part, in: model)
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

/// All screens of the app.
enum ScreenRegistry {
    /// The types of all screens. The documentation of the keys and the palette use this order, and the first
    /// screen is the first of them that offers itself in ``Screen/home(in:)``.
    static let screens: [any Screen.Type] = [
        HomeScreen.self,
        SessionsScreen.self,
        SessionScreen.self,
        ActivityScreen.self,
        PickerScreen.self,
        SigningInScreen.self,
        GuideScreen.self,
        InspectorScreen.self,
        TimelineScreen.self,
        SettingsScreen.self,
        SignOutScreen.self,
        AddProviderScreen.self,
        SigningOutScreen.self,
        SignOutEverywhereScreen.self,
        ReceiptScreen.self,
        WelcomeScreen.self,
        NextStepScreen.self,
        ProblemScreen.self,
        ConfirmScreen.self,
        UnlockScreen.self,
        QuestionScreen.self,
        PaletteScreen.self,
        SwitcherScreen.self,
        HelpScreen.self,
    ]

    /// Returns the first screen for this state.
    static func home(in model: AppModel) -> (any Screen)? { screens.lazy.compactMap { $0.home(in: model) }.first }
}

extension Movement {
    /// Returns the movement keys, which are the same on every screen. The footer shows them once.
    ///
    /// - Parameters:
    ///   - lettersMove: false where letters are text.
    ///   - tabMoves: whether Tab moves through the choices, from the last to the first.
    static func bindings<Action>(
        _ action: (Movement) -> Action, label: String, isHinted: Bool = true, lettersMove: Bool = true, tabMoves: Bool = false
    ) -> [KeyBinding<Action>] {
        func letter(_ character: Character) -> [Key] { lettersMove ? [.character(character)] : [] }
        let tabs =
            tabMoves
            ? [
                KeyBinding(keys: [.tab], action: action(.next), label: label, isHinted: false),
                KeyBinding(keys: [.backTab], action: action(.previous), label: label, isHinted: false),
            ] : []
        return [
            KeyBinding(keys: [.down] + letter("j"), action: action(.down), label: label, help: CommonWords.helpDown, isHinted: isHinted),
            KeyBinding(keys: [.up] + letter("k"), action: action(.up), label: label, help: CommonWords.helpUp, isHinted: false),
            KeyBinding(
                keys: [.pageDown] + (lettersMove ? [.character(" "), .control("f")] : []), action: action(.pageDown), label: label,
                help: CommonWords.helpPageDown, isHinted: false),
            KeyBinding(
                keys: [.pageUp] + (lettersMove ? [.control("b")] : []), action: action(.pageUp), label: label, help: CommonWords.helpPageUp,
                isHinted: false),
            KeyBinding(keys: [.home] + letter("g"), action: action(.first), label: label, help: CommonWords.helpFirst, isHinted: false),
            KeyBinding(keys: [.end] + letter("G"), action: action(.last), label: label, help: CommonWords.helpLast, isHinted: false),
        ] + tabs
    }
}
