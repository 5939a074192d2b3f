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
    package func applied(to bindings: [KeyBinding<String>], on screen: String, takesText: Bool) -> [KeyBinding<String>] {
        let changes = on(screen)
        guard !changes.isEmpty else { return bindings }
        return bindings.map { binding in
            guard let given = changes[binding.action] else { return binding }
            let keys = takesText ? given.filter { $0.typed == nil } : given
            return keys.isEmpty && !given.isEmpty ? binding : binding.with(keys: keys)
        }
    }
}

/// Names in the configuration.
package enum ActionName {
    /// Returns a name in camel case with hyphens: `signing-in` for `SigningIn`.
    package static func hyphenated(_ words: String) -> String {
        words.reduce(into: "") { name, character in
            if character.isUppercase, !name.isEmpty { name += "-" }
            name += character.lowercased()
        }
    }
}
