public import TerminalUI

/// The keys that a person gave to actions, where those differ from ours: `[keys.SCREEN]` in the configuration, `ACTION = KEYS`.
public struct KeyChanges: Equatable, Sendable {
    /// Keys by the screen's name and the action's; none at all takes an action its keys.
    private var keys: [String: [String: [Key]]] = [:]

    /// What is the same on every screen.
    public static let everywhere = "everywhere"

    public init() {}

    public var isEmpty: Bool { keys.isEmpty }

    public subscript(screen: String, action: String) -> [Key]? {
        get { keys[screen]?[action] }
        set { keys[screen, default: [:]][action] = newValue }
    }

    /// The changes on one screen, by the names of actions.
    func on(_ screen: String) -> [String: [Key]] { keys[screen] ?? [:] }

    /// The table with the keys that the person gave.
    /// - Parameter takesText: whether letters are text now. Then a letter is no key, and who gave an action nothing else keeps ours.
    func applied<Action>(to bindings: [KeyBinding<Action>], on screen: String, takesText: Bool) -> [KeyBinding<Action>] {
        let changes = on(screen)
        guard !changes.isEmpty else { return bindings }
        return bindings.map { binding in
            guard let given = changes[ActionName.of(binding.action)] else { return binding }
            let keys = takesText ? given.filter { $0.typed == nil } : given
            return keys.isEmpty && !given.isEmpty ? binding : binding.with(keys: keys)
        }
    }
}

/// What an action is called in the configuration: its case, with hyphens, and what it is done with: `copy-token`, `move-page-up`.
enum ActionName {
    static func of<Action>(_ action: Action) -> String {
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
