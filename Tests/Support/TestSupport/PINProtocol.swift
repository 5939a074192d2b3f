import Crypto
import CryptoExtras
import Foundation

/// The encryption between a platform and a key (CTAP 2.1, 6.5.6 and 6.5.7): PIN/UV auth protocols one and two.
struct PINProtocol {
    /// 1 or 2.
    let version: Int
    private let encryptionKey: SymmetricKey
    private let authenticationKey: SymmetricKey

    /// Derives the keys from the key agreement; `nil` if the other side has no valid public key.
    init?(version: Int, own: P256.KeyAgreement.PrivateKey, other: CBOR) {
        guard let x = other[-2]?.bytes, let y = other[-3]?.bytes,
            let key = try? P256.KeyAgreement.PublicKey(x963Representation: [4] + x + y),
            let shared = try? own.sharedSecretFromKeyAgreement(with: key)
        else { return nil }
        self.version = version
        if version == 1 {
            let hash = shared.withUnsafeBytes { SHA256.hash(data: $0) }
            encryptionKey = SymmetricKey(data: hash)
            authenticationKey = encryptionKey
        } else {
            let salt = [UInt8](repeating: 0, count: 32)
            func derived(_ info: String) -> SymmetricKey {
                shared.hkdfDerivedSymmetricKey(using: SHA256.self, salt: salt, sharedInfo: Array(info.utf8), outputByteCount: 32)
            }
            authenticationKey = derived("CTAP2 HMAC key")
            encryptionKey = derived("CTAP2 AES key")
        }
    }

    func encrypt(_ plain: [UInt8]) -> [UInt8]? {
        let iv = version == 1 ? [UInt8](repeating: 0, count: 16) : (0..<16).map { _ in UInt8.random(in: .min ... .max) }
        guard let vector = try? AES._CBC.IV(ivBytes: iv),
            let box = try? AES._CBC.encrypt(plain, using: encryptionKey, iv: vector, noPadding: true)
        else { return nil }
        return (version == 1 ? [] : iv) + Array(box)
    }

    func decrypt(_ box: [UInt8]) -> [UInt8]? {
        let iv = version == 1 ? [UInt8](repeating: 0, count: 16) : Array(box.prefix(16))
        let content = box.dropFirst(version == 1 ? 0 : 16)
        guard let vector = try? AES._CBC.IV(ivBytes: iv),
            let plain = try? AES._CBC.decrypt(content, using: encryptionKey, iv: vector, noPadding: true)
        else { return nil }
        return Array(plain)
    }

    /// Returns whether `code` authenticates `message` with the shared key.
    func isValid(_ code: [UInt8], for message: [UInt8]) -> Bool { Self.code(message, authenticationKey, version) == code }

    /// Returns whether `code` authenticates `message` with a PIN token.
    static func isValid(_ code: [UInt8], for message: [UInt8], token: [UInt8], version: Int) -> Bool {
        Self.code(message, SymmetricKey(data: token), version) == code
    }

    private static func code(_ message: [UInt8], _ key: SymmetricKey, _ version: Int) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: message, using: key).prefix(version == 1 ? 16 : 32))
    }
}
