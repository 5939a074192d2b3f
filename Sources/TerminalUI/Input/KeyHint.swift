/// A key and what it does, for showing.
public struct KeyHint: Equatable, Sendable {
    public let keys: [Key]
    public let label: String
    /// Why it does not work now.
    public let unavailable: String?

    public init(keys: [Key], label: String, unavailable: String? = nil) {
        self.keys = keys
        self.label = label
        self.unavailable = unavailable
    }
}
