public import AuthModel

/// A provider preset for the form.
public struct ProviderPresetChoice: Equatable, Sendable {
    /// The address that a preset needs from the user.
    public enum Address: Equatable, Sendable {
        /// The preset needs no address.
        case known
        /// The user's own address: what it is, an example, and the default if it may be omitted.
        case own(what: UserMessage, example: String, fallback: String? = nil)
    }

    /// The preset's name.
    public var name: String
    /// The address that the preset needs.
    public var address: Address
    /// Whether the provider names the client at each sign-in.
    public var choosesClient: Bool

    /// Creates a preset choice.
    public init(name: String, address: Address, choosesClient: Bool = false) {
        self.name = name
        self.address = address
        self.choosesClient = choosesClient
    }
}
