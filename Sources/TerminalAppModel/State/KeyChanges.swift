public import TerminalUI

/// The user's changes to the default keys: `[keys.SCREEN]` in the configuration, `ACTION = KEYS`.
public struct KeyChanges: Equatable, Sendable {
    /// Keys by the names of the screen and the action; an empty list removes the action's keys.
    private var keys: [String: [String: [Key]]] = [:]

    /// The screen name for the global keys.
    public static let everywhere = "everywhere"

    /// Creates a set without changes.
    public init() {}

    /// Whether there are no changes.
    public var isEmpty: Bool { keys.isEmpty }

    /// The keys for an action on a screen; nil if they are unchanged.
    public subscript(screen: String, action: String) -> [Key]? {
        get { keys[screen]?[action] }
        set { keys[screen, default: [:]][action] = newValue }
    }

    /// Returns the changes for one screen, by action name.
    package func on(_ screen: String) -> [String: [Key]] { keys[screen] ?? [:] }

    /// Returns the table with the user's changes.
    ///
    /// - Parameter takesText: whether letters are text now. Letter keys are then ignored, and an action with no other key keeps its default
    ///   keys.
    package func applied<Action>(to bindings: [KeyBinding<Action>], on screen: String, takesText: Bool) -> [KeyBinding<Action>] {
        let changes = on(screen)
        guard !changes.isEmpty else { return bindings }
        return bindings.map { binding in
            guard let given = changes[ActionName.of(binding.action)] else { return binding }
            let keys = takesText ? given.filter { $0.typed == nil } : given
            return keys.isEmpty && !given.isEmpty ? binding : binding.with(keys: keys)
        }
    }
}

/// The name of an action in the configuration: its enum case with hyphens, and the associated value: `copy-token`, `move-page-up`.
package enum ActionName {
    package static func of<Action>(_ action: Action) -> String {
        // `copyToken`, or `move(TerminalApp.Movement.pageUp)`.
        let words = "\(action)".split { $0 == "(" || $0 == ")" }.map { $0.split(separator: ".").last ?? $0 }
        var name = ""
        for character in words.joined(separator: "-") {
            if character.isUppercase, let last = name.last, last != "-" { name += "-" }
            name += character.lowercased()
        }
        return name
    }
}
