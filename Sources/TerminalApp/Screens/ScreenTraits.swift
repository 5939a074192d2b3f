import AuthModel

/// The constants and plain states of a screen that the app reads; a screen names those that differ from the defaults.
struct ScreenTraits {
    // MARK: Input

    /// Whether letters are text. Keys without an action, and pastes, then go to ``Screen/type(_:in:)``.
    var takesText = false
    /// The selected row of the list; nil without a list.
    var selectedRow: Int?
    /// The focused field, for plain prompts; nil without fields.
    var plainField: PlainField?
    /// Whether the screen is processing an answer: plain prompts ask no question meanwhile.
    var isBusy = false

    // MARK: Drawing

    /// The content of the box in which the screen is drawn above the one below it, where the terminal has space for both; nil for a screen
    /// that fills the whole area.
    var box: FloatingBox.Content?
    /// The screen to show below a card, if it is not the one that the card was opened from.
    var backdrop: (any Screen)?
    /// How far the gate is down between a card and the screen below, from 0 to 1; nil without a gate.
    var loweredGate: Double?
    /// Whether the screen changes every second.
    var needsTicks = false
    /// Whether the screen needs ticks even as plain prompts, where no countdown is visible.
    var ticksAsPlainPrompts = false
    /// Whether the screen shows an animation.
    var isAnimated = false
    /// The theme to draw with instead of the selected one.
    var previewedTheme: String?

    // MARK: Opening and closing

    /// The commands to run when the screen opens.
    var openingCommands: [Command] = []
    /// The commands to run when the user leaves the screen.
    var closingCommands: [Command] = []
    /// The notice after Ctrl-C has stopped the screen's work; nil if the screen does no work, so that Ctrl-C quits.
    var interruptionNotice: Notice?
    /// The session that the screen would forget. The app then waits for an undo, instead of opening the screen.
    var sessionToForget: SessionName?
    /// Whether the screen, as the app's first one, stays in this state.
    var staysFirst = false
    /// Whether the screen stays open when the app returns to its first screen.
    var staysOpenAtHome = false

    // MARK: Problems and results

    /// Whether a problem screen may open above this one; otherwise a problem is a notice.
    var allowsProblemAbove = false
    /// The sessions whose sign-out's result the screen shows, so that the app shows no notice about it.
    var reportedSignOuts: [SessionName] = []
    /// Whether the screen shows why an unlock failed, so that the app shows no notice about it.
    var reportsUnlock = false
}
