/// The keys of a screen: one table that decodes them, fills the footer and writes the help.
public struct KeyMap<Action: Equatable & Sendable>: Equatable, Sendable {
    /// What a key means.
    public enum Decision: Equatable, Sendable {
        case action(Action)
        /// The key is known and does not work now; the text says why.
        case unavailable(String)
        case unbound
    }

    public var bindings: [KeyBinding<Action>]

    public init(_ bindings: [KeyBinding<Action>]) { self.bindings = bindings }

    /// The first binding of the key that works decides; when none does, the first one says why.
    public func decide(_ key: Key) -> Decision {
        let matches = bindings.filter { $0.keys.contains(key) }
        if let binding = matches.first(where: { $0.unavailable == nil }) { return .action(binding.action) }
        if let reason = matches.first?.unavailable { return .unavailable(reason) }
        return .unbound
    }

    /// The table of this screen followed by one that holds everywhere.
    public func followed(by other: KeyMap) -> KeyMap { KeyMap(bindings + other.bindings) }

    /// What the footer shows, in order: keys that work now.
    public var hints: [KeyHint] {
        bindings.filter { $0.isHinted && $0.unavailable == nil }.compactMap { binding in
            binding.keys.first.map { KeyHint(keys: [$0], label: binding.label, unavailable: nil) }
        }
    }

    /// What the help screen shows: every key, with the reason where one does not work.
    public var help: [KeyHint] {
        bindings.map { KeyHint(keys: $0.keys, label: $0.help, unavailable: $0.unavailable) }
    }
}
