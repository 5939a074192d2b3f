/// The result of looking up a provider.
public enum ProviderFinding: Equatable, Sendable {
    /// The provider can be added as described.
    case offer(ProviderOffer)
    /// The address is a protected resource that accepts tokens of these authorization servers. The user must choose which one to trust.
    case servers(of: String, [String])
}
