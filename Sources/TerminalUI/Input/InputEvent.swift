/// An event from the terminal.
public enum InputEvent: Hashable, Sendable {
    /// A key press.
    case key(Key)
    /// A bracketed paste, as one event of any length.
    case paste(PastedText)
    /// A mouse event; sent only while the application uses the mouse.
    case mouse(MouseEvent)
    /// The terminal has a new size.
    case resized(Size)
    /// The program was stopped (Ctrl-Z) and continues; the screen is redrawn.
    case resumed
    /// The program must end: SIGTERM, SIGHUP, or the terminal has hung up.
    case terminated
}
