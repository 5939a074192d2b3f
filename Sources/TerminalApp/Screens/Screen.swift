import AuthModel
import TerminalAppModel
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
