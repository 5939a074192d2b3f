import AuthModel
import Crypto
import CryptoExtras
import Dispatch
import FoundationEssentials
import Glibc

/// How a passphrase becomes a key: scrypt (RFC 7914), with parameters that the header keeps.
package struct KeyDerivation: Equatable, Sendable {
    var salt: [UInt8]
    /// The binary logarithm of scrypt's N.
    var cost: Int64
    /// scrypt's r.
    var blockSize: Int64
    /// scrypt's p.
    var parallelism: Int64

    /// The costs a store accepts and uses, as binary logarithms of scrypt's N.
    package struct Bounds: Equatable, Sendable {
        /// What a header may ask for. Below, a passphrase is cheap to guess; above, opening the store exhausts the machine's memory.
        package var accepted: ClosedRange<Int64>
        /// What a new passphrase gets. A store that was sealed with less is upgraded when it is unlocked.
        package var fresh: Int64

        package init(accepted: ClosedRange<Int64>, fresh: Int64) {
            self.accepted = accepted
            self.fresh = fresh
        }

        /// N = 2^17, r = 8, p = 1 is the minimum of OWASP's Password Storage Cheat Sheet, and takes 128 MiB. Older stores have 2^15 (32
        /// MiB); 2^18 takes 256 MiB.
        package static let standard = Bounds(accepted: 15...18, fresh: 17)
    }

    /// Whether a new passphrase would cost more to guess.
    func isOutdated(_ bounds: Bounds) -> Bool { cost < bounds.fresh }

    /// Fresh parameters for a new passphrase.
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

    /// The key; takes a large part of a second, on a thread of its own.
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
        // The parameters are within bounds, so only memory can have been short.
        guard let key else { throw StoreError.system("derive the key of", ENOMEM, path: nil) }
        return key
    }
}
