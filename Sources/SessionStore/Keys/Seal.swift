public import AuthModel

/// The protection of the store's data key: `seal` in the configuration.
public enum Seal: String, Sendable, CaseIterable {
    /// A passphrase that the user enters and that is stored nowhere.
    case passphrase
    /// A key in the login keyring.
    case secretService = "secret-service"
    /// A key in a file that only its owner may read. It does not protect from anyone who can read the owner's files: a backup, a stolen
    /// unencrypted disk, another program of the same user.
    case keyFile = "key-file"
    /// Nothing is stored: the sessions end with the process.
    case memory
}

/// The source of the key that opens the store.
public enum KeySource: Sendable {
    /// The user's passphrase, through ``SessionStore/unlock(passphrase:)``.
    case passphrase
    /// A storage that keeps the key.
    case holder(any KeyStorage)
    /// The seal of the existing store decides between these storages and a passphrase; a new store uses the first storage.
    case automatic([any KeyStorage])
    /// A new key for a store in memory.
    case memory

    /// Returns a source that uses a file with a random 256-bit key, created with the store.
    public static func keyFile(_ path: String) -> KeySource { .holder(KeyFile(path: path)) }

    /// The seal that this source requires; `nil` if it accepts any.
    var seal: Seal? {
        switch self {
        case .passphrase: .passphrase
        case .holder(let holder): holder.seal
        case .automatic: nil
        case .memory: .memory
        }
    }

    /// Returns the source for a store with the seal `stored`. Throws if this source has none.
    func resolved(for stored: Seal) throws(StoreError) -> KeySource {
        if case .automatic(let holders) = self {
            if stored == .passphrase { return .passphrase }
            if let holder = holders.first(where: { $0.seal == stored }) { return .holder(holder) }
            throw StoreError(.sealDiffers(stored: stored, configured: holders.first?.seal ?? .passphrase))
        }
        guard let seal, seal == stored else { throw StoreError(.sealDiffers(stored: stored, configured: seal ?? .memory)) }
        return self
    }

    /// The source for a new store.
    var forNewStore: KeySource {
        guard case .automatic(let holders) = self else { return self }
        return holders.first.map { .holder($0) } ?? .passphrase
    }
}

/// A storage that keeps a store's 256-bit key and does not ask the user: a file, a keyring.
public protocol KeyStorage: Sendable {
    /// The store's name for this storage.
    var seal: Seal { get }

    /// Whether the key can be read as quickly as a file, so that opening a store unlocks it. Otherwise the key is read by
    /// ``SessionStore/unlock(passphrase:)``, because listing sessions needs no key.
    var isImmediate: Bool { get }

    /// Returns the key of the store with that identifier (32 hexadecimal digits).
    ///
    /// With `creating`, creates a missing key, and returns once it is durable. Otherwise a missing key is ``StoreError/Kind/keyMissing``.
    func key(store: String, creating: Bool) async throws(StoreError) -> Secret

    /// The error for a key that does not open the store.
    var mismatch: StoreError { get }

    /// Deletes the key of that store, once no data is sealed with it.
    func forget(store: String) async throws(StoreError)
}

extension KeyStorage {
    /// Default: true.
    public var isImmediate: Bool { true }
}
