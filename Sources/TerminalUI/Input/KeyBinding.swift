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

    /// Creates a binding. Default for `help`: `label`.
    public init(
        _ keys: Key..., action: Action, label: String, help: String? = nil, isHinted: Bool = true, unavailable: String? = nil
    ) {
        self.init(keys: keys, action: action, label: label, help: help, isHinted: isHinted, unavailable: unavailable)
    }

    /// Creates a binding from a list of keys. Default for `help`: `label`.
    public init(keys: [Key], action: Action, label: String, help: String? = nil, isHinted: Bool = true, unavailable: String? = nil) {
        self.keys = keys
        self.action = action
        self.label = label
        self.help = help ?? label
        self.isHinted = isHinted
        self.unavailable = unavailable
    }

    /// Returns the same binding on other keys.
    public func with(keys: [Key]) -> KeyBinding {
        KeyBinding(keys: keys, action: action, label: label, help: help, isHinted: isHinted, unavailable: unavailable)
    }

    /// Returns the same binding, unavailable because of `reason`; a nil reason changes nothing.
    public func unavailable(because reason: String?) -> KeyBinding {
        KeyBinding(keys: keys, action: action, label: label, help: help, isHinted: isHinted, unavailable: reason ?? unavailable)
    }
}
