/// What a new agent needs in order to open the store of this one.
public enum StoreReopening: Sendable {
    /// Nothing from the user: the key is in a keyring or a file.
    case automatic
    /// The user's passphrase.
    case passphrase
    /// The store is in memory, so no other process can open it.
    case impossible
}
