/// What the mouse did. Moves and releases are not told.
public struct MouseEvent: Hashable, Sendable {
    public enum Action: Hashable, Sendable {
        /// The main button was pressed.
        case pressed
        case wheelUp
        case wheelDown
    }

    public let action: Action
    /// Where, from the upper left corner.
    public let point: Point

    public init(_ action: Action, at point: Point) {
        self.action = action
        self.point = point
    }
}
