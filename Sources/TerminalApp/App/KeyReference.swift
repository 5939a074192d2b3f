import AuthModel
public import TerminalUI

/// Every configurable key of the app: for reading the configuration, and for the documentation.
public struct KeyReference: Sendable {
    /// A key's action and help text.
    public struct Entry: Equatable, Sendable {
        /// `sessions`, or ``KeyChanges/everywhere``.
        public let screen: String
        /// `copy-token`.
        public let action: String
        /// The default keys.
        public let keys: [Key]
        /// The help text.
        public let help: String
        /// Whether letters are text on that screen, so that none can be a key.
        public let takesText: Bool
    }

    /// Every configurable action with its keys, by screen.
    public let entries: [Entry]

    /// Creates the table of default keys.
    public init() {
        let model = AppModel(now: Timestamp(milliseconds: 0))
        entries = Self.entries(GlobalActions.table(takesText: false, in: model), on: KeyChanges.everywhere) + Self.screens(model)
    }

    /// The names of the screens, in the order of the table.
    public var screens: [String] { entries.map(\.screen).reduce(into: []) { if $0.last != $1 { $0.append($1) } } }

    /// Returns the names of the actions on a screen whose keys can be changed.
    public func actions(on screen: String) -> [String] {
        entries.filter { $0.screen == screen && GlobalActions.always.isDisjoint(with: $0.keys) }.map(\.action)
    }

    /// Returns the problem with a change; nil if it is valid.
    public func problem(with keys: [Key], for action: String, on screen: String, in changes: KeyChanges) -> String? {
        guard let changed = entries.first(where: { $0.screen == screen && $0.action == action }) else { return nil }
        for key in keys {
            if GlobalActions.always.contains(key) { return "\(key.name) has the same meaning on every screen and cannot be reassigned" }
            if changed.takesText, key.typed != nil {
                return "\(key.name) types text here: use a key with ctrl or alt, or a key that types no text"
            }
            if let other = holder(of: key, beside: changed, in: changes) {
                return "\(key.name) is already the key of \(other.action)\(other.screen == screen ? "" : " on \(other.screen)")"
            }
        }
        return nil
    }

    /// Returns another action that would use the same key at the same time.
    private func holder(of key: Key, beside changed: Entry, in changes: KeyChanges) -> Entry? {
        entries.first { other in
            let meet = other.screen == changed.screen || other.screen == KeyChanges.everywhere || changed.screen == KeyChanges.everywhere
            // A global action appears under the same name on many screens.
            guard meet, other.action != changed.action, !(other.takesText && changed.screen == KeyChanges.everywhere) else { return false }
            return (changes[other.screen, other.action] ?? other.keys).contains(key)
        }
    }

    private static func screens(_ model: AppModel) -> [Entry] {
        guard let provider = ProviderName("provider"), let session = SessionName(provider: provider, account: nil) else { return [] }
        return ScreenRegistry.screens.flatMap { entries(of: $0, for: session, model) }
    }

    /// Returns the keys in all key tables of a screen; an action of several tables appears once.
    private static func entries<S: Screen>(of type: S.Type, for session: SessionName, _ model: AppModel) -> [Entry] {
        type.examples(of: session, in: model).reduce(into: []) { found, screen in
            let known = Set(found.map(\.action))
            let entries = entries(screen.actions(in: model), on: type.name, takesText: screen.traits(in: model).takesText)
            found += entries.filter { !known.contains($0.action) }
        }
    }

    private static func entries<Target>(_ actions: [ScreenAction<Target>], on screen: String, takesText: Bool = false) -> [Entry] {
        actions.map(\.binding).map {
            Entry(screen: screen, action: $0.action, keys: $0.keys, help: $0.help, takesText: takesText)
        }
    }
}

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
