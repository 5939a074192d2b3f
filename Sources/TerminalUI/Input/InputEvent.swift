/// What reaches an application from its terminal.
public enum InputEvent: Hashable, Sendable {
    case key(Key)
    /// A bracketed paste, as one event however long it is.
    case paste(PastedText)
    case mouse(MouseEvent)
    /// The terminal has a new size.
    case resized(Size)
    /// The program was stopped (Ctrl-Z) and goes on now; the screen is drawn anew.
    case resumed
    /// The program is asked to end: SIGTERM, SIGHUP, or the terminal is gone.
    case terminated
}
