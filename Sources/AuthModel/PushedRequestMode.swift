/// Whether a protection is used that a provider may or may not offer: pushed requests.
public enum PushedRequestMode: String, Sendable, CaseIterable {
    /// Where the provider offers it.
    case auto
    /// Always; without it there is no sign-in.
    case required
    /// Never; a provider that requires it cannot be signed in to.
    case off
}

/// Whether tokens are bound to a key of the session (RFC 9449). A bound token is of no use to a program that sends it as Bearer, so a
/// provider's offer alone does not bind.
public enum ProofMode: String, Sendable, CaseIterable {
    /// Never; a provider that requires it cannot be signed in to.
    case off
    /// Always; without it there is no sign-in.
    case required
}
