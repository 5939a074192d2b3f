/// A mouse event. Moves and releases are not reported.
public struct MouseEvent: Hashable, Sendable {
    public enum Action: Hashable, Sendable {
        /// The main button was pressed.
        case pressed
        case wheelUp
        case wheelDown
    }

    public let action: Action
    /// The cell, counted from the top left corner.
    public let point: Point

    public init(_ action: Action, at point: Point) {
        self.action = action
        self.point = point
    }
}
