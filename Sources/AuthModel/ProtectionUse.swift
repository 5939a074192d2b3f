/// Whether a protection is to be used that a provider may or may not offer: pushed requests, bound tokens.
public enum ProtectionUse: String, Sendable, CaseIterable {
    /// Where the provider offers it.
    case auto
    /// Always; without it there is no sign-in.
    case required
    /// Never; a provider that requires it cannot be signed in to.
    case off
}
