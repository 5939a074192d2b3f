import AuthModel
import Crypto
import CryptoExtras
import Dispatch
import FoundationEssentials
import Glibc

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
        var generator = SystemRandomNumberGenerator()
        let salt = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        return KeyDerivation(salt: salt, cost: bounds.fresh, blockSize: 8, parallelism: 1)
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
