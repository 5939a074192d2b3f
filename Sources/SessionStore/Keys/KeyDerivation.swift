import AuthModel
import Crypto
import CryptoExtras
import Dispatch
import FoundationEssentials
import Glibc

/// How a passphrase becomes a key: scrypt (RFC 7914), with parameters that the header keeps.
struct KeyDerivation: Equatable, Sendable {
    var salt: [UInt8]
    /// The binary logarithm of scrypt's N.
    var cost: Int64
    /// scrypt's r.
    var blockSize: Int64
    /// scrypt's p.
    var parallelism: Int64

    /// What a header may ask for: below, a passphrase is cheap to guess; above, opening the store takes the machine down.
    struct Bounds: Equatable, Sendable {
        var cost: ClosedRange<Int64>
        /// N = 2^15 takes 32 MiB, 2^18 takes 256 MiB.
        static let standard = Bounds(cost: 15...18)
    }

    /// Fresh parameters for a new passphrase.
    static func fresh(_ bounds: Bounds) -> KeyDerivation {
        var generator = SystemRandomNumberGenerator()
        let salt = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        return KeyDerivation(salt: salt, cost: bounds.cost.lowerBound, blockSize: 8, parallelism: 1)
    }

    func check(_ bounds: Bounds) throws(StoreError) {
        guard bounds.cost.contains(cost), blockSize == 8, parallelism == 1, (16...64).contains(salt.count) else {
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
