/// Keys and their description, for display.
public struct KeyHint: Equatable, Sendable {
    /// The keys with the same action.
    public let keys: [Key]
    /// The description of the action.
    public let label: String
    /// The action in one or two words, if the description is longer.
    public let name: String?
    /// The reason why the key does not work now; nil if it works.
    public let unavailable: String?

    /// Creates a hint.
    public init(keys: [Key], label: String, name: String? = nil, unavailable: String? = nil) {
        self.keys = keys
        self.label = label
        self.name = name
        self.unavailable = unavailable
    }
}
