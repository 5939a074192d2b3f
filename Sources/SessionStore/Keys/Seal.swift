public import AuthModel

/// What the store's data key is wrapped with: `seal` in the configuration.
public enum Seal: String, Sendable, CaseIterable {
    /// A passphrase that the person gives, and nobody keeps.
    case passphrase
    /// A key in the login keyring.
    case secretService = "secret-service"
    /// A key in a file that only its owner may read. It does not protect from somebody who can read the owner's files: a backup, a
    /// stolen disk that is not encrypted, another program of the same user.
    case keyFile = "key-file"
    /// Nothing is kept: the sessions end with the process.
    case memory
}

/// Where the key comes from that opens the store.
public enum KeySource: Sendable {
    /// From the person, through ``SessionStore/unlock(passphrase:)``.
    case passphrase
    /// From something that keeps it.
    case holder(any KeyStorage)
    /// What an existing store says, among these holders and a passphrase; a new store takes the first holder.
    case automatic([any KeyStorage])
    /// A fresh key for a store in memory.
    case memory

    /// From a file of a random 256-bit key, made with the store.
    public static func keyFile(_ path: String) -> KeySource { .holder(KeyFile(path: path)) }

    /// What the store is asked to be sealed by; `nil` where any will do.
    var seal: Seal? {
        switch self {
        case .passphrase: .passphrase
        case .holder(let holder): holder.seal
        case .automatic: nil
        case .memory: .memory
        }
    }

    /// The source for a store that is sealed by `stored`; throws when this source has none.
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

/// Something that keeps a store's 256-bit key without asking the person: a file, a keyring.
public protocol KeyStorage: Sendable {
    /// What a store calls it.
    var seal: Seal { get }

    /// Whether its key can be read as quickly as any file, so that a store is unlocked by being opened. Otherwise that waits for
    /// ``SessionStore/unlock(passphrase:)``: who only lists sessions needs no key.
    var isImmediate: Bool { get }

    /// The key of the store with that identifier (32 hexadecimal digits).
    ///
    /// `creating`: make one where there is none, and return once it is durable. Otherwise a missing key is ``StoreError/Kind/keyMissing``.
    func key(store: String, creating: Bool) async throws(StoreError) -> Secret

    /// What is thrown where its key is not the one that the store was sealed by.
    var mismatch: StoreError { get }

    /// Removes the key of that store, once nothing is sealed by it any more.
    func forget(store: String) async throws(StoreError)
}

extension KeyStorage {
    public var isImmediate: Bool { true }
}
