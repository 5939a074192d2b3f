public import AuthModel
import Crypto
import Glibc
import Synchronization

extension SessionStore {
    /// Unlocks the store with the passphrase, or with the key storage's key, for which the passphrase is a PIN. Creates a new store.
    ///
    /// Throws ``StoreError/Kind/wrongPassphrase`` without changing anything, and ``StoreError/Kind/lockedMeanwhile`` if the store was
    /// locked before the keys were there. Does nothing if the store is unlocked. Upgrades a store whose key derivation is weaker than that
    /// of a new one.
    ///
    /// - Parameter isPIN: whether the text is the PIN of a security key, which gets no other text.
    public func unlock(passphrase: Secret? = nil, isPIN: Bool = false) async throws(StoreError) {
        guard storeState != .unlocked else { return }
        let locks = state.withLock { $0.lockCount }
        guard try await hasDatabase() else {
            if case .storage(let storage) = state.withLock({ $0.source }).forNewStore {
                return try await create(sealedBy: Self.entering(passphrase, isPIN: isPIN, in: storage))
            }
            // A PIN is too short for a passphrase that protects a store.
            guard let passphrase, !isPIN else { throw StoreError(.locked) }
            return try await create(passphrase: passphrase)
        }
        let header = try await read { transaction in transaction.header }
        // Another process may have changed the seal. A user who is refused here is then asked for the right text.
        state.withLock { $0.remember(header) }
        let keys: StoreKeys
        switch try state.withLock({ $0.source }).resolved(for: header.seal) {
        case .storage(let storage): keys = try await unwrap(header, with: Self.entering(passphrase, isPIN: isPIN, in: storage))
        case .passphrase:
            guard let passphrase, !isPIN else { throw StoreError(.locked) }
            keys = try await unwrap(header, with: passphrase)
        case .memory, .automatic: throw StoreError(.locked)
        }
        guard let database = state.withLock({ $0.database }) else { throw StoreError(.locked) }
        try await Self.verify(keys, on: database, path: databasePath)
        try keep(keys, unlessLockedSince: locks)
        if let passphrase { await upgrade(header, keys: keys, passphrase: passphrase) }
    }

    /// Keeps the keys, unless the store was locked after its count of locks was read, or the task is cancelled: the touch of a security key
    /// may come much later than the wish to unlock.
    func keep(_ keys: StoreKeys, unlessLockedSince locks: Int) throws(StoreError) {
        let obstacle: StoreError.Kind? = state.withLock { state in
            guard state.lockCount == locks else { return .lockedMeanwhile }
            guard !Task.isCancelled else { return .cancelled }
            state.keys = keys
            return nil
        }
        if let obstacle { throw StoreError(obstacle) }
    }

    /// Returns a storage with what the user entered. A security key gets only a PIN: it counts every other text as a wrong one, and some of
    /// them block it.
    private static func entering(
        _ text: Secret?, isPIN: Bool, in storage: any KeyStorage
    ) throws(StoreError) -> any KeyStorage {
        guard !storage.asksUser || isPIN || text?.isEmpty != false else { throw StoreError(.securityKey(.pinNeeded)) }
        return storage.entering(text)
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
        state.withLock { state in
            state.keys = nil
            state.lockCount += 1
        }
    }

    /// Checks the passphrase of a store that is sealed by one, or has a security key open the store once more; does nothing for another
    /// seal.
    ///
    /// Throws ``StoreError/Kind/wrongPassphrase`` or ``StoreError/Kind/securityKey(_:)``.
    ///
    /// - Parameter isPIN: whether the text is the PIN of a security key, which gets no other text.
    public func checkPassphrase(_ passphrase: Secret?, isPIN: Bool = false) async throws(StoreError) {
        let header = try await readUnlocked { transaction in transaction.header }
        if header.seal == .securityKey {
            guard case .storage(let storage) = try state.withLock({ $0.source }).resolved(for: header.seal) else {
                throw StoreError(.locked)
            }
            _ = try await unwrap(header, with: Self.entering(passphrase, isPIN: isPIN, in: storage))
        }
        guard header.seal == .passphrase else { return }
        guard let passphrase else { throw StoreError(.wrongPassphrase) }
        _ = try await unwrap(header, with: passphrase)
    }

    /// Changes the seal of an unlocked store in one transaction. Then the old key storage deletes its key if it is no longer needed. The
    /// data key stays the same, so an older copy of the store can still be opened with the old passphrase.
    ///
    /// Throws ``StoreError/Kind/oldKeyRemains(reason:)`` if the seal was changed and the old key could not be deleted. A kill before that
    /// leaves the old key too; the next change to any seal but that one deletes it.
    ///
    /// - Parameters:
    ///   - passphrase: the new one for ``Seal/passphrase``; the PIN of the new key for ``Seal/securityKey``.
    ///   - leftovers: storages whose keys for this store are deleted, except the new one.
    public func changeSeal(
        to source: KeySource, passphrase: Secret? = nil, leftovers: [any KeyStorage] = []
    ) async throws(StoreError) {
        guard state.withLock({ $0.keys != nil }) else { throw StoreError(.locked) }
        // One change at a time: the end of one would delete the key that another has just sealed the store with.
        let lock = try await acquireLock("seal", until: time.bootTime + .seconds(60))
        defer { lock.release() }
        let before = try await readUnlocked { transaction in transaction.header }
        guard before.seal != .memory else { throw StoreError(.notLockable) }
        let draft: Header
        let key: SymmetricKey
        switch source.forNewStore {
        case .passphrase:
            guard let passphrase else { throw StoreError(.locked) }
            (draft, key) = try await Self.passphraseDraft(of: before, passphrase: passphrase, bounds: settings.bounds)
        case .storage(let storage):
            let new = try await storage.entering(passphrase).newKey(store: before.storeIdentifier)
            key = new.key.withBytes { SymmetricKey(data: $0) }
            var header = Header(store: before.store, seal: storage.seal)
            header.credential = new.credential
            draft = header
        case .memory, .automatic: throw StoreError(.notLockable)
        }
        let header = try await write { transaction in
            // Meanwhile the store may have been replaced by another one, which has other keys.
            guard transaction.header == before else { throw StoreError(.busy) }
            return try transaction.replaceHeader(draft, wrappingKeysWith: key)
        }
        let previous = state.withLock { state in
            defer {
                state.source = source
                state.remember(header)
            }
            return state.source
        }
        var old = leftovers
        if case .storage(let storage)? = try? previous.resolved(for: before.seal), !old.contains(where: { $0.seal == storage.seal }) {
            old.append(storage)
        }
        var remaining: StoreError?
        for storage in old where storage.seal != header.seal {
            do throws(StoreError) {
                try await storage.forget(store: before.storeIdentifier)
            } catch {
                // A keyring that is gone says nothing of a store that did not use it.
                guard storage.seal == before.seal else { continue }
                remaining = StoreError(.oldKeyRemains(reason: error.failure.message), path: error.path)
            }
        }
        if let remaining { throw remaining }
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
        let (draft, key) = try await passphraseDraft(of: header, passphrase: passphrase, bounds: bounds)
        var sealed = draft
        try rethrowing(nil) { try sealed.wrap(keys, with: key) }
        return sealed
    }

    /// Returns a header like `header`, with a new salt and without keys, and the key to wrap them with.
    private static func passphraseDraft(
        of header: Header, passphrase: Secret, bounds: KeyDerivation.Bounds
    ) async throws(StoreError) -> (header: Header, key: SymmetricKey) {
        guard !passphrase.isEmpty else { throw StoreError(.invalid(UserMessage("store.passphrase_empty"))) }
        let derivation = KeyDerivation.fresh(bounds)
        let key = try await derivation.key(from: passphrase, bounds: bounds)
        return (Header(store: header.store, seal: .passphrase, derivation: derivation), key)
    }
}

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
