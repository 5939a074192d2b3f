/// An event from the terminal.
public enum InputEvent: Hashable, Sendable {
    /// A key press.
    case key(Key)
    /// A bracketed paste, as one event of any length.
    case paste(PastedText)
    /// A mouse event; sent only while the application uses the mouse.
    case mouse(MouseEvent)
    /// The terminal got the keyboard focus, or lost it. A window without it may be hidden.
    case focused(Bool)
    /// The terminal's colour scheme has changed to a light or a dark one.
    case colorsChanged(isLight: Bool)
    /// The terminal has a new size.
    case resized(Size)
    /// The program was stopped (Ctrl-Z) and continues; the screen is redrawn.
    case resumed
    /// The program must end: SIGTERM, SIGHUP, or the terminal has hung up.
    case terminated
}

/// A mouse event. Moves and releases are not reported.
public struct MouseEvent: Hashable, Sendable {
    /// The action of the mouse.
    public enum Action: Hashable, Sendable {
        /// The main button was pressed.
        case pressed
        /// The wheel was turned up.
        case wheelUp
        /// The wheel was turned down.
        case wheelDown
    }

    /// The action.
    public let action: Action
    /// The cell, counted from the top left corner.
    public let point: Point

    /// Creates an event.
    public init(_ action: Action, at point: Point) {
        self.action = action
        self.point = point
    }
}

/// Text that was pasted in one piece. It may be a password, so its description hides the content.
///
/// The text is unchanged, with line feeds and control characters. An input field filters it by its own rules; it is never decoded as keys.
public struct PastedText: Hashable, Sendable {
    /// The unchanged text.
    public let text: String

    /// Creates a pasted text.
    public init(_ text: String) { self.text = text }
}

extension PastedText: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The length, never the content.
    public var description: String { "[pasted, \(text.utf8.count) bytes]" }
    /// The length, never the content.
    public var debugDescription: String { description }
    /// A mirror without children: a dump shows no content.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
