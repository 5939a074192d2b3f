/// Whether authorization requests are pushed, which is optional for providers.
public enum PushedRequestMode: String, Sendable, CaseIterable {
    /// If the provider offers it.
    case auto
    /// Always. The sign-in fails if the provider does not offer it.
    case required
    /// Never. The sign-in fails if the provider requires it.
    case off
}

/// Whether tokens are bound to a key of the session (RFC 9449). A bound token is useless to programs that send it as Bearer, so there is no
/// automatic mode.
public enum ProofMode: String, Sendable, CaseIterable {
    /// Never. The sign-in fails if the provider requires it.
    case off
    /// Always. The sign-in fails if the provider does not offer it.
    case required
}
