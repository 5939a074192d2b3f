/// Locks and unlocks the store. A role of ``SessionService``.
public protocol StoreLock: Sendable {
    /// Returns whether the store is unlocked. Throws if this cannot be determined.
    func seal() async throws(AuthFailure) -> SealState

    /// Returns whether a passphrase unlocks the store. If the key comes from another source, ``unlock(passphrase:)`` ignores its argument.
    func needsPassphrase() async -> Bool

    /// Unlocks the store if that needs no user: its key is in a file or keyring, and the user did not lock the store explicitly. Otherwise,
    /// and if the store is open, does nothing. Throws if the key is not available.
    func unlockIfNoPassphraseNeeded() async throws(AuthFailure)

    /// Unlocks the store.
    func unlock(passphrase: Secret) async throws(AuthFailure)

    /// Erases the keys from memory. Waits for pending provider requests first and seals their results.
    func lock() async throws(AuthFailure)

    /// Waits for the responses to pending requests whose loss could cost a session, seals the results, and sends no more such requests.
    /// Call this before the process ends.
    func retire() async
}
