internal import AuthModel
internal import Localization
internal import ProviderKinds
internal import TerminalApp
internal import TerminalAppModel
internal import TerminalUI
internal import UserConfiguration

extension ConfigurationRules {
    /// The rules of this program: all kinds, and the languages and keys of the terminal app.
    static let standard = ConfigurationRules(
        kind: { $0.definition }, languages: Language.allCases.map(\.rawValue), keys: AppKeyRules())
}

/// The terminal app's keys.
private struct AppKeyRules: KeyRules {
    private static let reference = KeyReference()

    var screens: [String] { Self.reference.screens }

    func actions(on screen: String) -> [String] { Self.reference.actions(on: screen) }

    func isKey(_ name: String) -> Bool { Key(name: name) != nil }

    func problem(for action: String, on screen: String, in changes: KeyAssignments) -> String? {
        let changes = KeyChanges(changes)
        return Self.reference.problem(with: changes[screen, action] ?? [], for: action, on: screen, in: changes)
    }
}

extension KeyChanges {
    /// Creates the changes that the configuration names.
    init(_ assignments: KeyAssignments) {
        self.init()
        for (screen, actions) in assignments.keys {
            for (action, names) in actions { self[screen, action] = names.compactMap { Key(name: $0) } }
        }
    }
}
