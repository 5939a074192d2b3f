public import AuthModel
import Crypto
import Glibc
import Synchronization

extension SessionStore {
    /// Unlocks the store with the passphrase, or with the key storage's key. A new store is created with its first passphrase.
    ///
    /// Throws ``StoreError/Kind/wrongPassphrase`` without changing anything. Does nothing if the store is unlocked. Upgrades a store whose
    /// key derivation is weaker than that of a new one.
    public func unlock(passphrase: Secret? = nil) async throws(StoreError) {
        guard sealState != .unlocked else { return }
        guard try await hasDatabase() else {
            if case .storage(let storage) = state.withLock({ $0.source }).forNewStore { return try await create(sealedBy: storage) }
            guard let passphrase else { throw StoreError(.locked) }
            return try await create(passphrase: passphrase)
        }
        let header = try await read { transaction in transaction.header }
        let keys: StoreKeys
        switch try state.withLock({ $0.source }).resolved(for: header.seal) {
        case .storage(let storage): keys = try await unwrap(header, with: storage)
        case .passphrase:
            guard let passphrase else { throw StoreError(.locked) }
            keys = try await unwrap(header, with: passphrase)
        case .memory, .automatic: throw StoreError(.locked)
        }
        guard let database = state.withLock({ $0.database }) else { throw StoreError(.locked) }
        try await Self.verify(keys, on: database, path: databasePath)
        state.withLock { state in
            state.keys = keys
            state.storedSeal = header.seal
        }
        if let passphrase { await upgrade(header, keys: keys, passphrase: passphrase) }
    }

    /// Wraps the data key of an older store with a key that costs as much to derive as a new store's, in one transaction.
    ///
    /// The store is open either way: after a failure, the next unlock tries again.
    private func upgrade(_ header: Header, keys: StoreKeys, passphrase: Secret) async {
        guard let derivation = header.derivation, derivation.isOutdated(settings.bounds),
            let stronger = try? await Self.header(of: header, keys: keys, passphrase: passphrase, bounds: settings.bounds)
        else { return }
        try? await write { transaction in
            // Another process may have upgraded the store or changed the passphrase while the key was derived.
            guard transaction.header == header else { return }
            try transaction.replaceHeader(stronger)
        }
    }

    /// Removes the keys from memory. Calls in progress finish with the keys they have, and the holder of a session's lock keeps them until
    /// its release: ``waitForLockHolders()``.
    public func lock() throws(StoreError) {
        guard seal != .memory else { throw StoreError(.notLockable) }
        state.withLock { $0.keys = nil }
    }

    /// Changes the seal of an unlocked store atomically. Then the old key storage deletes its key if it is no longer needed. The data key
    /// stays the same, so an older copy of the store can still be opened with the old passphrase.
    ///
    /// `passphrase` is needed for ``Seal/passphrase`` only.
    public func changeSeal(to source: KeySource, passphrase: Secret? = nil) async throws(StoreError) {
        guard let keys = state.withLock({ $0.keys }) else { throw StoreError(.locked) }
        let before = try await readUnlocked { transaction in transaction.header }
        let header: Header
        let target = source.forNewStore
        switch target {
        case .passphrase:
            guard let passphrase else { throw StoreError(.locked) }
            header = try await Self.header(of: before, keys: keys, passphrase: passphrase, bounds: settings.bounds)
        case .storage(let storage):
            let key = try await storage.key(store: before.storeIdentifier, creating: true)
            var wrapped = Header(store: before.store, seal: storage.seal)
            try Self.rethrowing(databasePath) { try key.withBytes { try wrapped.wrap(keys, with: SymmetricKey(data: $0)) } }
            header = wrapped
        case .memory, .automatic: throw StoreError(.notLockable)
        }
        guard before.seal != .memory else { throw StoreError(.notLockable) }
        try await write { transaction in try transaction.replaceHeader(header) }
        let previous = state.withLock { state in
            defer {
                state.source = source
                state.storedSeal = header.seal
            }
            return state.source
        }
        if before.seal != header.seal, case .storage(let storage) = try previous.resolved(for: before.seal) {
            try await storage.forget(store: before.storeIdentifier)
        }
    }

    private func create(passphrase: Secret) async throws(StoreError) {
        guard !passphrase.isEmpty else { throw StoreError(.wrongPassphrase) }
        let keys = StoreKeys()
        let header = try await Self.header(of: Header.fresh(.passphrase), keys: keys, passphrase: passphrase, bounds: settings.bounds)
        try await create(header, keys: keys)
        // Another process may have created the store first, with another passphrase; then this passphrase must open it.
        try await unlock(passphrase: passphrase)
    }

    private func unwrap(_ header: Header, with passphrase: Secret) async throws(StoreError) -> StoreKeys {
        guard let derivation = header.derivation else { throw StoreError(.wrongPassphrase) }
        guard let keys = header.unwrap(with: try await derivation.key(from: passphrase, bounds: settings.bounds)) else {
            throw StoreError(.wrongPassphrase)
        }
        return keys
    }

    /// Returns a header like `header`, with a new salt and the keys wrapped by a passphrase.
    private static func header(
        of header: Header, keys: StoreKeys, passphrase: Secret, bounds: KeyDerivation.Bounds
    ) async throws(StoreError) -> Header {
        guard !passphrase.isEmpty else { throw StoreError(.invalid(UserMessage("store.passphrase_empty"))) }
        let derivation = KeyDerivation.fresh(bounds)
        let key = try await derivation.key(from: passphrase, bounds: bounds)
        var sealed = Header(store: header.store, seal: .passphrase, derivation: derivation)
        try rethrowing(nil) { try sealed.wrap(keys, with: key) }
        return sealed
    }
}
