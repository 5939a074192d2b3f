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

    /// Returns this table followed by another, such as the global keys.
    public func followed(by other: KeyMap) -> KeyMap { KeyMap(bindings + other.bindings) }

    /// The hints for the footer, in order: the keys that work now.
    public var hints: [KeyHint] {
        bindings.filter { $0.isHinted && $0.unavailable == nil }.compactMap { binding in
            binding.keys.first.map { KeyHint(keys: [$0], label: binding.label, unavailable: nil) }
        }
    }

    /// The hints for the help screen: every key, with a reason if it does not work.
    public var help: [KeyHint] {
        bindings.map { KeyHint(keys: $0.keys, label: $0.help, name: $0.label == $0.help ? nil : $0.label, unavailable: $0.unavailable) }
    }
}
