import AuthModel
import TerminalUI

/// A screen: a value with its actions, its update function and its drawing.
///
/// A screen changes only itself. It requests every other effect with the ``ScreenResult`` that it returns.
protocol Screen: Equatable, Sendable {
    /// Returns the actions, the most important first: one row each, with its keys, texts, obstacle and effect.
    func actions(in model: AppModel) -> [ScreenAction<Self>]
    /// Returns what differs from the defaults of ``ScreenTraits``.
    func traits(in model: AppModel) -> ScreenTraits

    /// Handles any message that is not user input; every open screen gets it.
    mutating func receive(_ message: Message, in model: AppModel) -> ScreenResult
    /// Handles a key without an action, or a paste, while the screen takes text.
    mutating func type(_ input: TextInput, in model: AppModel) -> ScreenResult
    /// Selects an element, or handles a click on it.
    mutating func select(_ element: ScreenElement, in model: AppModel) -> ScreenResult
    /// Called after each input; returns the commands that read what the screen shows now.
    mutating func commandsForShownContent(in model: AppModel) -> [Command]

    /// Returns the title of the screen.
    func title(in model: AppModel) -> String
    /// Returns a short text at the right of the title.
    func status(in model: AppModel) -> String
    /// Returns the line above the keys, which the app shows while it has no notice; nil for none.
    func strip(in model: AppModel, columns: Int, glyphs: GlyphSet) -> TextLine?
    /// Draws into `area`, never outside it.
    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer)
    /// The screen to show below a card, if it is not the one that the card was opened from.
    var backdrop: (any Screen)? { get }

    /// The commands to run when the user leaves the screen.
    var closingCommands: [Command] { get }
    /// The notice after Ctrl-C has stopped the screen's work; nil if the screen does no work, so that Ctrl-C quits.
    var interruptionNotice: Notice? { get }
    /// The session that the screen would forget. The app then waits for an undo, instead of opening the screen.
    var sessionToForget: SessionName? { get }
    /// Whether the screen stays open when the app returns to its first screen.
    var staysOpenAtHome: Bool { get }
    /// Whether the screen shows why an unlock failed, so that the app shows no notice about it.
    var reportsUnlock: Bool { get }
    /// Whether the screen is processing an answer: plain prompts ask no question meanwhile.
    var isBusy: Bool { get }
    /// Whether the screen needs ticks even as plain prompts, where no countdown is visible.
    var ticksAsPlainPrompts: Bool { get }

    /// Returns the screen if it can be the app's first one in this state; nil otherwise.
    static func home(in model: AppModel) -> Self?
    /// Returns the actions of this screen that the palette offers on every screen.
    static func paletteEntries(in model: AppModel) -> [PaletteScreen.Entry]
    /// Returns examples of the screen, one for each of its action tables. The configuration accepts the keys of these tables, and the
    /// documentation lists them. Empty if the keys are fixed.
    ///
    /// - Parameter session: a session's name, for a screen that shows a session.
    static func examples(of session: SessionName, in model: AppModel) -> [Self]
}

extension Screen {
    typealias Action = ScreenAction<Self>

    func traits(in model: AppModel) -> ScreenTraits { ScreenTraits() }
    mutating func receive(_ message: Message, in model: AppModel) -> ScreenResult { .none }
    mutating func type(_ input: TextInput, in model: AppModel) -> ScreenResult { .none }
    mutating func select(_ element: ScreenElement, in model: AppModel) -> ScreenResult { .none }
    mutating func commandsForShownContent(in model: AppModel) -> [Command] { [] }
    func status(in model: AppModel) -> String { "" }
    func strip(in model: AppModel, columns: Int, glyphs: GlyphSet) -> TextLine? { nil }
    var backdrop: (any Screen)? { nil }
    var closingCommands: [Command] { [] }
    var interruptionNotice: Notice? { nil }
    var sessionToForget: SessionName? { nil }
    var staysOpenAtHome: Bool { false }
    var reportsUnlock: Bool { false }
    var isBusy: Bool { false }
    var ticksAsPlainPrompts: Bool { false }
    static func home(in model: AppModel) -> Self? { nil }
    static func paletteEntries(in model: AppModel) -> [PaletteScreen.Entry] { [] }
    static func examples(of session: SessionName, in model: AppModel) -> [Self] { [] }
}

/// Content of a screen that the session service provides.
enum Loaded<Value: Equatable & Sendable>: Equatable, Sendable {
    case loading
    case loaded(Value)
    case failed(AuthFailure)
}

/// An element of a screen that can be selected.
enum ScreenElement: Equatable, Sendable {
    /// A row of the list.
    case row(Int)
    /// A field of the form, by its index among the visible fields.
    case field(Int)
    /// Another part, by the number that the drawing gave it.
    case part(Int)
    /// The row of a session, if the screen lists it.
    case session(SessionName)
}

/// An input for a screen.
enum ScreenInput: Equatable, Sendable {
    case key(Key)
    case paste(PastedText)
    case click(ScreenElement)
    /// Any message that is not user input.
    case message(Message)
}

extension Screen {
    /// The screen's name in the configuration: `sessions`.
    static var name: String {
        let type = "\(Self.self)"
        return ActionName.hyphenated(type.hasSuffix("Screen") ? String(type.dropLast("Screen".count)) : type)
    }

    /// Returns the key table with the user's changes, and the reasons for unavailable keys.
    func keys(in model: AppModel) -> KeyMap<String> { keys(of: actions(in: model), in: model) }

    private func keys(of actions: [Action], in model: AppModel) -> KeyMap<String> {
        model.keys.isEmpty
            ? KeyMap(actions.map(\.binding))
            : Action.keys(actions, on: Self.name, takesText: traits(in: model).takesText, in: model)
    }

    /// Returns the hints for the footer.
    func keyHints(in model: AppModel) -> [KeyHint] {
        // A binding has one action, so the hint for Down stands for Up as well.
        keys(in: model).hints.map { $0.keys == [.down] ? KeyHint(keys: [.up, .down], label: $0.label) : $0 }
    }

    /// Handles an input; nil if it has no meaning here.
    mutating func handle(_ input: ScreenInput, in model: AppModel) -> ScreenResult? {
        switch input {
        case .message(let message): return receive(message, in: model)
        // A click on the selected row is Enter.
        case .click(.row(let row)) where traits(in: model).selectedRow == row: return handle(.key(.enter), in: model)
        case .click(let element): return select(element, in: model)
        case .paste(let text): return traits(in: model).takesText ? type(.paste(text), in: model) : nil
        case .key(let key):
            let actions = actions(in: model)
            switch keys(of: actions, in: model).decide(key) {
            case .action(let name): return actions.first { $0.binding.action == name }?.run(&self)
            case .unavailable(let reason): return .say(reason, .warning)
            case .unbound:
                // Global keys work in a field too.
                guard traits(in: model).takesText, GlobalActions.keys(takesText: true, in: model).decide(key) == .unbound else {
                    return nil
                }
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
        LockedScreen.self,
        UnlockScreen.self,
        QuestionScreen.self,
        PaletteScreen.self,
        SwitcherScreen.self,
        RolesScreen.self,
        ThemesScreen.self,
        HelpScreen.self,
    ]

    /// Returns the first screen for this state.
    static func home(in model: AppModel) -> (any Screen)? { screens.lazy.compactMap { $0.home(in: model) }.first }
}

/// The constants and plain states that the app reads and several screens set; a screen names those that differ from the defaults.
/// Those that a single screen sets are requirements of ``Screen``.
struct ScreenTraits {
    // MARK: Input

    /// Whether letters are text. Keys without an action, and pastes, then go to ``Screen/type(_:in:)``.
    var takesText = false
    /// The selected row of the list; nil without a list.
    var selectedRow: Int?
    /// The focused field, for plain prompts; nil without fields.
    var plainField: PlainField?

    // MARK: Drawing

    /// The content of the box in which the screen is drawn above the one below it, where the terminal has space for both; nil for a screen
    /// that fills the whole area.
    var box: FloatingBox.Content?
    /// The share of the gate that is down between a card and the screen below, from 0 to 1; nil without a gate.
    var loweredGate: Double?
    /// Whether the screen changes every second.
    var needsTicks = false
    /// Whether the screen shows an animation.
    var isAnimated = false
    /// The theme to draw with instead of the selected one.
    var previewedTheme: String?

    // MARK: Opening and closing

    /// The commands to run when the screen opens.
    var openingCommands: [Command] = []
    /// Whether the screen, as the app's first one, stays in this state.
    var staysFirst = false

    // MARK: Problems and results

    /// Whether a problem screen may open above this one; otherwise a problem is a notice.
    var allowsProblemAbove = false
    /// The sessions whose sign-out's result the screen shows, so that the app shows no notice about it.
    var reportedSignOuts: [SessionName] = []
}
