package import AuthModel
import TOML

/// Reads `[keys]`: one table for each screen, which maps an action to a key or a list of keys. An empty list removes the keys of an action.
///
/// Throws if two actions would have the same key at the same time.
package struct KeysReader {
    package let section: ConfigurationSection
    package let rules: any KeyRules

    /// Screens that had another name in an earlier version.
    private static let formerNames = ["front-door": "home"]

    package func read() throws(AuthFailure) -> KeyAssignments {
        try section.refuseKeys(otherThan: rules.screens + Array(Self.formerNames.keys))
        var changes = KeyAssignments()
        var tables: [(screen: String, table: ConfigurationSection)] = []
        for screen in section.keys {
            let table = try ConfigurationSection(section[screen] ?? .table([]), at: section.path + [screen], of: section.document)
            let screen = Self.formerNames[screen] ?? screen
            try table.refuseKeys(otherThan: rules.actions(on: screen))
            for action in table.keys { changes[screen, action] = try keys(action, in: table) }
            tables.append((screen, table))
        }
        // Check only after all changes are read, because two actions may swap keys.
        for (screen, table) in tables {
            for action in table.keys {
                guard let problem = rules.problem(for: action, on: screen, in: changes) else {
                    continue
                }
                throw table.error(.verbatim(problem), at: action, hint: "hint.keys_are_in_help")
            }
        }
        return changes
    }

    private func keys(_ action: String, in table: ConfigurationSection) throws(AuthFailure) -> [String] {
        let names = try table.textOrTexts(action) ?? []
        if let name = names.first(where: { !rules.isKey($0) }) {
            throw table.error(
                UserMessage("config.not_a_key_name", ["key": name]), at: action, hint: "hint.key_name_form")
        }
        return names
    }
}

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

/// The keys of the app that can be changed in `[keys]`.
package protocol KeyRules: Sendable {
    /// The names of the screens.
    var screens: [String] { get }

    /// Returns the names of the actions on a screen whose keys can be changed.
    func actions(on screen: String) -> [String]

    /// Whether a text is the name of a key.
    func isKey(_ name: String) -> Bool

    /// Returns the problem with the keys of an action among all changes; `nil` if they are valid.
    func problem(for action: String, on screen: String, in changes: KeyAssignments) -> String?
}
