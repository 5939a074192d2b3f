public import AuthModel
import Synchronization

extension SessionStore {
    /// Has a second security key open the store too, in one transaction. The store is unlocked, and a key that opens it and the new one are
    /// plugged in together.
    ///
    /// - Parameters:
    ///   - pin: the PIN of the key that opens the store.
    ///   - newPIN: the PIN of the new key.
    public func addSecurityKey(pin: Secret?, newPIN: Secret?) async throws(StoreError) {
        guard state.withLock({ $0.keys != nil }) else { throw StoreError(.locked) }
        let lock = try await acquireLock("seal", until: time.bootTime + .seconds(60))
        defer { lock.release() }
        let before = try await readUnlocked { transaction in transaction.header }
        guard case .storage(let storage) = try state.withLock({ $0.source }).resolved(for: before.seal),
            let securityKey = storage.entering(pin) as? SecurityKey
        else { throw StoreError(.securityKey(.notSealed)) }
        var header = before
        do throws(StoreError) {
            header.credential = try await securityKey.adding(
                to: before.credential, store: before.storeIdentifier, newPIN: newPIN)
        } catch {
            throw StoreError(error, path: databasePath)
        }
        try await write { [header] transaction in
            guard transaction.header == before else { throw StoreError(.busy) }
            try transaction.replaceHeader(header)
        }
        state.withLock { $0.remember(header) }
    }
}
