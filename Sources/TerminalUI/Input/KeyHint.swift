/// Keys and their description, for display.
public struct KeyHint: Equatable, Sendable {
    public let keys: [Key]
    public let label: String
    /// Why the key does not work now; nil if it works.
    public let unavailable: String?

    public init(keys: [Key], label: String, unavailable: String? = nil) {
        self.keys = keys
        self.label = label
        self.unavailable = unavailable
    }
}
