import TerminalAppModel

/// An open screen of any type, with its state. Two are equal if their types and their values are.
struct OpenScreen: Equatable, Sendable {
    /// The screen as its common protocol.
    var screen: any Screen

    /// Creates an open screen.
    init(_ screen: any Screen) { self.screen = screen }

    static func == (left: OpenScreen, right: OpenScreen) -> Bool { left.screen.isEqual(to: right.screen) }

    /// Returns the screen as a value of its own type; nil if it has another type.
    func `as`<S: Screen>(_ type: S.Type) -> S? { screen as? S }
}

extension Equatable {
    /// Returns whether `other` has the same type and the same value.
    func isEqual(to other: any Equatable) -> Bool { other as? Self == self }
}
