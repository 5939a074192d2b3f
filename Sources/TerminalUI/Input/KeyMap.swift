/// The keys of a screen: one table that decodes keys, fills the footer and lists the help.
public struct KeyMap<Action: Equatable & Sendable>: Equatable, Sendable {
    /// The result of decoding a key.
    public enum Decision: Equatable, Sendable {
        /// The key performs an action.
        case action(Action)
        /// The key is bound but does not work now; the text says why.
        case unavailable(String)
        /// The key has no binding.
        case unbound
    }

    /// The bindings, the most important first.
    public var bindings: [KeyBinding<Action>]

    /// Creates a table.
    public init(_ bindings: [KeyBinding<Action>]) { self.bindings = bindings }

    /// Returns the action of the key's first available binding; if none is available, the first binding's reason.
    public func decide(_ key: Key) -> Decision {
        let matches = bindings.filter { $0.keys.contains(key) }
        if let binding = matches.first(where: { $0.unavailable == nil }) { return .action(binding.action) }
        if let reason = matches.first?.unavailable { return .unavailable(reason) }
        return .unbound
    }

    /// The hints for the footer, in order: the keys that work now, and those that keep their place until they do.
    public var hints: [KeyHint] {
        bindings.filter { $0.isHinted && ($0.unavailable == nil || $0.keepsPlace) }.compactMap { binding in
            binding.keys.first.map { KeyHint(keys: [$0], label: binding.label, isEnabled: binding.unavailable == nil) }
        }
    }

    /// The bindings for a list of all keys: those with the same texts are one, with the keys of all of them.
    public var merged: [KeyBinding<Action>] {
        bindings.reduce(into: []) { rows, binding in
            let same = rows.firstIndex { $0.label == binding.label && $0.help == binding.help && $0.unavailable == binding.unavailable }
            guard let same else { return rows.append(binding) }
            let keys = rows[same].keys
            rows[same] = rows[same].with(keys: keys + binding.keys.filter { !keys.contains($0) })
        }
    }

    /// Returns the bindings that remain effective below another table: those with a key that the other one does not use.
    public func below(_ other: KeyMap) -> KeyMap {
        let used = Set(other.bindings.flatMap(\.keys))
        return KeyMap(bindings.filter { $0.keys.isEmpty || !used.isSuperset(of: $0.keys) })
    }
}

/// The action of one or more keys, with the texts for the footer and the help screen.
public struct KeyBinding<Action: Equatable & Sendable>: Equatable, Sendable {
    /// The keys; the footer shows the first.
    public let keys: [Key]
    /// The action of the keys.
    public let action: Action
    /// One or two words for the footer: `sign in`.
    public let label: String
    /// A sentence for the help screen.
    public let help: String
    /// Whether the footer shows the binding if there is space.
    public let isHinted: Bool
    /// The reason why the key does not work now; nil if it works.
    public let unavailable: String?
    /// Whether a card shows the binding's button while its key does not work, so that no other button moves when it does.
    public let keepsPlace: Bool

    /// Creates a binding. Default for `help`: `label`.
    public init(
        keys: [Key], action: Action, label: String, help: String? = nil, isHinted: Bool = true, unavailable: String? = nil,
        keepsPlace: Bool = false
    ) {
        self.keys = keys
        self.action = action
        self.label = label
        self.help = help ?? label
        self.isHinted = isHinted
        self.unavailable = unavailable
        self.keepsPlace = keepsPlace
    }

    /// Returns the same binding on other keys.
    public func with(keys: [Key]) -> KeyBinding {
        KeyBinding(
            keys: keys, action: action, label: label, help: help, isHinted: isHinted, unavailable: unavailable, keepsPlace: keepsPlace)
    }
}

/// Keys and their description, for display.
public struct KeyHint: Equatable, Sendable {
    /// The keys with the same action.
    public let keys: [Key]
    /// The description of the action.
    public let label: String
    /// Whether the keys work now. The footer leaves out a hint whose keys do not; a card's button is dim.
    public let isEnabled: Bool

    /// Creates a hint.
    public init(keys: [Key], label: String, isEnabled: Bool = true) {
        self.keys = keys
        self.label = label
        self.isEnabled = isEnabled
    }
}
