public import AuthModel
import Crypto
import CryptoExtras
import Dispatch
import FoundationEssentials
import Glibc

/// The source of the key that opens the store.
public enum KeySource: Sendable {
    /// The user's passphrase, through ``SessionStore/unlock(passphrase:isPIN:)``.
    case passphrase
    /// A storage that keeps the key.
    case storage(any KeyStorage)
    /// The seal of the existing store decides between these storages and a passphrase; a new store uses the first storage.
    case automatic([any KeyStorage])
    /// A new key for a store in memory.
    case memory

    /// Returns a source that uses a file with a random 256-bit key, created with the store.
    public static func keyFile(_ path: String) -> KeySource { .storage(KeyFile(path: path)) }

    /// The seal that this source requires; `nil` if it accepts any.
    var seal: Seal? {
        switch self {
        case .passphrase: .passphrase
        case .storage(let storage): storage.seal
        case .automatic: nil
        case .memory: .memory
        }
    }

    /// Returns the source for a store with the seal `stored`. Throws if this source has none.
    func resolved(for stored: Seal) throws(StoreError) -> KeySource {
        if case .automatic(let storages) = self {
            if stored == .passphrase { return .passphrase }
            if let storage = storages.first(where: { $0.seal == stored }) { return .storage(storage) }
            throw StoreError(.sealDiffers(stored: stored, configured: storages.first?.seal ?? .passphrase))
        }
        guard let seal, seal == stored else { throw StoreError(.sealDiffers(stored: stored, configured: seal ?? .memory)) }
        return self
    }

    /// The source for a new store.
    var forNewStore: KeySource {
        guard case .automatic(let storages) = self else { return self }
        return storages.first.map { .storage($0) } ?? .passphrase
    }
}

/// A storage that keeps a store's 256-bit key: a file, a keyring, systemd, security keys.
public protocol KeyStorage: Sendable {
    /// The store's name for this storage.
    var seal: Seal { get }

    /// Whether the key can be read as quickly as a file, so that opening a store unlocks it. Otherwise the key is read by
    /// ``SessionStore/unlock(passphrase:isPIN:)``, because listing sessions needs no key.
    var isImmediate: Bool { get }

    /// Whether each call waits for the user, so that none is made without a request of the user.
    var asksUser: Bool { get }

    /// Returns this storage with the PIN that the user entered for its next call, if it takes one.
    func entering(_ pin: Secret?) -> any KeyStorage

    /// Returns the key of the store with that identifier (32 hexadecimal digits). A missing key is ``StoreError/Kind/keyMissing``.
    ///
    /// - Parameter credential: what ``newKey(store:)`` returned with the key; the store's header keeps it.
    func key(store: String, credential: [UInt8]) async throws(StoreError) -> Secret

    /// Returns a key to seal that store with, once it is durable: a new one, or the one that the storage already has for the store.
    func newKey(store: String) async throws(StoreError) -> NewKey

    /// The error for a key that does not open the store.
    var mismatch: StoreError { get }

    /// Deletes the key of that store, once no data is sealed with it.
    func forget(store: String) async throws(StoreError)
}

/// A key to seal a store with, and what the store's header keeps so that the storage finds the key again.
public struct NewKey: Sendable {
    /// 32 bytes.
    public var key: Secret
    /// Empty if the storage needs none.
    public var credential: [UInt8]

    package init(_ key: Secret, credential: [UInt8] = []) {
        self.key = key
        self.credential = credential
    }
}

extension KeyStorage {
    /// Default: true.
    public var isImmediate: Bool { true }
    /// Default: false.
    public var asksUser: Bool { false }
    /// Default: this storage, which takes no PIN.
    public func entering(_ pin: Secret?) -> any KeyStorage { self }
}

/// Derives a key from a passphrase: scrypt (RFC 7914), with parameters that the header stores.
package struct KeyDerivation: Equatable, Sendable {
    var salt: [UInt8]
    /// The binary logarithm of scrypt's N.
    var cost: Int64
    /// scrypt's r.
    var blockSize: Int64
    /// scrypt's p.
    var parallelism: Int64

    /// The costs that a store accepts and uses, as binary logarithms of scrypt's N.
    package struct Bounds: Equatable, Sendable {
        /// The costs that a header may have. Below them a passphrase is cheap to guess; above them opening the store exhausts the machine's
        /// memory.
        package var accepted: ClosedRange<Int64>
        /// The cost for a new passphrase. A store with a lower cost is upgraded when it is unlocked.
        package var fresh: Int64

        /// Creates bounds.
        package init(accepted: ClosedRange<Int64>, fresh: Int64) {
            self.accepted = accepted
            self.fresh = fresh
        }

        /// N = 2^17, r = 8, p = 1 is the minimum of OWASP's Password Storage Cheat Sheet, and needs 128 MiB. Older stores have 2^15 (32
        /// MiB); 2^18 needs 256 MiB.
        package static let standard = Bounds(accepted: 15...18, fresh: 17)
    }

    /// Returns whether the cost is lower than that of a new passphrase.
    func isOutdated(_ bounds: Bounds) -> Bool { cost < bounds.fresh }

    /// Returns new parameters for a new passphrase.
    static func fresh(_ bounds: Bounds) -> KeyDerivation {
        KeyDerivation(salt: .random(count: 32), cost: bounds.fresh, blockSize: 8, parallelism: 1)
    }

    func check(_ bounds: Bounds) throws(StoreError) {
        guard bounds.accepted.contains(cost), blockSize == 8, parallelism == 1, (16...64).contains(salt.count) else {
            throw StoreError(.derivationOutOfBounds)
        }
    }

    /// Derives the key, on a separate thread; takes a large part of a second.
    func key(from passphrase: Secret, bounds: Bounds) async throws(StoreError) -> SymmetricKey {
        try check(bounds)
        guard !passphrase.isEmpty else { throw StoreError(.wrongPassphrase) }
        let key: SymmetricKey? = await withCheckedContinuation { continuation in
            DispatchQueue.global(qos: .userInitiated).async {
                continuation.resume(
                    returning: passphrase.withBytes { bytes in
                        try? KDF.Scrypt.deriveKey(
                            from: bytes, salt: salt, outputByteCount: 32, rounds: 1 << Int(cost), blockSize: Int(blockSize),
                            parallelism: Int(parallelism))
                    })
            }
        }
        // The parameters are within bounds, so only a lack of memory can cause this.
        guard let key else { throw StoreError.system(UserMessage("phrase.derive_key_of"), ENOMEM, path: nil) }
        return key
    }
}
