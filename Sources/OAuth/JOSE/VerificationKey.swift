internal import AuthModel
internal import Crypto
internal import CryptoExtras

/// A public key that verifies signatures.
struct VerificationKey: Sendable {
    /// The key material by type.
    enum Material: Sendable {
        case rsa(RSAPublicKey)
        case p256(P256.Signing.PublicKey)
        case p384(P384.Signing.PublicKey)
        case p521(P521.Signing.PublicKey)
        case ed25519(Curve25519.Signing.PublicKey)
    }

    let material: Material
    let keyID: String?
    /// The only permitted algorithm of the key; `nil` if the key set does not restrict it.
    let algorithm: String?
    /// The only issuer of the key, as some providers with tenants name it; `nil` for every issuer of the key set.
    var issuer: String?

    /// Returns whether the key has the type and purpose that `wanted` needs.
    func fits(_ wanted: SignatureAlgorithm) -> Bool {
        if let algorithm, algorithm != wanted.rawValue, !(Self.isEd25519(algorithm) && Self.isEd25519(wanted.rawValue)) { return false }
        return switch (material, wanted) {
        case (.rsa, .rs256), (.rsa, .rs384), (.rsa, .rs512), (.rsa, .ps256), (.rsa, .ps384), (.rsa, .ps512): true
        case (.p256, .es256), (.p384, .es384), (.p521, .es512), (.ed25519, .edDSA), (.ed25519, .ed25519): true
        default: false
        }
    }

    private static func isEd25519(_ name: String) -> Bool { name == "EdDSA" || name == "Ed25519" }

    /// Returns whether the key made `signature` for `input`. ECDSA signatures are R followed by S (RFC 7518 section 3.4).
    func isValid(_ signature: [UInt8], over input: [UInt8], _ algorithm: SignatureAlgorithm) -> Bool {
        guard fits(algorithm) else { return false }
        switch material {
        case .rsa(let key): return key.isValid(signature, over: input, algorithm)
        case .p256(let key):
            return (try? P256.Signing.ECDSASignature(rawRepresentation: signature)).map { key.isValidSignature($0, for: input) } ?? false
        case .p384(let key):
            return (try? P384.Signing.ECDSASignature(rawRepresentation: signature)).map { key.isValidSignature($0, for: input) } ?? false
        case .p521(let key):
            return (try? P521.Signing.ECDSASignature(rawRepresentation: signature)).map { key.isValidSignature($0, for: input) } ?? false
        case .ed25519(let key): return key.isValidSignature(signature, for: input)
        }
    }
}

/// An RSA key of at least 2048 bits (RFC 7518 section 3.3).
struct RSAPublicKey: Sendable {
    /// The accepted key sizes. Larger keys are too expensive to verify with.
    static let allowedBits = 2048...8192
    private let key: _RSA.Signing.PublicKey

    /// Creates a key; returns `nil` if it is invalid, too small or too large.
    init?(modulus: [UInt8], exponent: [UInt8]) {
        let modulus = Array(modulus.drop { $0 == 0 })
        guard let first = modulus.first else { return nil }
        let bits = modulus.count * 8 - first.leadingZeroBitCount
        // With an exponent of 1, every message would be its own signature.
        let exponent = Array(exponent.drop { $0 == 0 })
        guard Self.allowedBits.contains(bits), let last = exponent.last, last & 1 == 1, exponent != [1], exponent.count <= 8,
            let key = try? _RSA.Signing.PublicKey(n: modulus, e: exponent)
        else { return nil }
        self.key = key
    }

    func isValid(_ signature: [UInt8], over input: [UInt8], _ algorithm: SignatureAlgorithm) -> Bool {
        let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
        return switch algorithm {
        case .rs256: key.isValidSignature(signature, for: SHA256.hash(data: input), padding: .insecurePKCS1v1_5)
        case .rs384: key.isValidSignature(signature, for: SHA384.hash(data: input), padding: .insecurePKCS1v1_5)
        case .rs512: key.isValidSignature(signature, for: SHA512.hash(data: input), padding: .insecurePKCS1v1_5)
        case .ps256: key.isValidSignature(signature, for: SHA256.hash(data: input), padding: .PSS)
        case .ps384: key.isValidSignature(signature, for: SHA384.hash(data: input), padding: .PSS)
        case .ps512: key.isValidSignature(signature, for: SHA512.hash(data: input), padding: .PSS)
        default: false
        }
    }
}
