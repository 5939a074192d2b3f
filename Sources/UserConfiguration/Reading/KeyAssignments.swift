/// The user's changes to the app's keys as written: `[keys.SCREEN]`, `ACTION = KEYS`.
package struct KeyAssignments: Equatable, Sendable {
    /// The names of the keys by screen and action. An empty list removes the action's keys.
    package private(set) var keys: [String: [String: [String]]] = [:]

    /// Creates a set without changes.
    package init() {}

    /// The names of the keys for an action on a screen; `nil` if they are unchanged.
    package subscript(screen: String, action: String) -> [String]? {
        get { keys[screen]?[action] }
        set { keys[screen, default: [:]][action] = newValue }
    }
}
