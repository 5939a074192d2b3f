public import AuthModel
internal import Crypto

/// Proof Key for Code Exchange (RFC 7636), S256 only.
public enum ProofKey {
    /// Returns `BASE64URL(SHA256(verifier))` (RFC 7636 section 4.2).
    public static func challenge(for verifier: Secret) -> String {
        verifier.withBytes { Base64URL.encode(SHA256.hash(data: $0)) }
    }
}

/// Generates unguessable values: 256 bits from the given generator, in base64url (43 characters).
enum RandomValue {
    static func make(using generator: inout some RandomNumberGenerator) -> Secret { Secret(Base64URL.encode(bytes(using: &generator))) }

    /// Returns the 32 bytes without encoding.
    static func bytes(using generator: inout some RandomNumberGenerator) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<4 {
            let word: UInt64 = generator.next()
            for shift in stride(from: UInt64(0), to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: word >> shift)) }
        }
        return bytes
    }
}
