/// Whether the store is locked.
public enum SealState: Equatable, Sendable {
    case unlocked
    /// A passphrase is needed. `isNew` means that none exists yet, and the given one becomes the passphrase.
    case locked(isNew: Bool)
}
