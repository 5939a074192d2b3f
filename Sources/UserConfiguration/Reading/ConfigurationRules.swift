package import AuthModel

/// Facts of the program that the reader needs: the provider kinds, the app's languages, and its keys.
package struct ConfigurationRules: Sendable {
    /// Returns how a kind is configured.
    package var kind: @Sendable (ProviderKind) -> any KindConfiguration
    /// The codes of the app's languages.
    package var languages: [String]
    /// The app's keys.
    package var keys: any KeyRules

    /// Creates rules.
    package init(kind: @escaping @Sendable (ProviderKind) -> any KindConfiguration, languages: [String], keys: any KeyRules) {
        self.kind = kind
        self.languages = languages
        self.keys = keys
    }

    /// Returns the names of the keys that only this kind defines.
    package func ownKeys(of kind: ProviderKind) -> [String] { self.kind(kind).keys.map(\.name) }
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
