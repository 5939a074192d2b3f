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
