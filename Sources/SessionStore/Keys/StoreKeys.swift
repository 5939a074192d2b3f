import AuthModel
import Crypto
import FoundationEssentials
import Glibc

/// The keys of an open store, derived from the data key: one seals payloads, one authenticates the roster.
struct StoreKeys: Sendable {
    private let data: SymmetricKey
    private let payloads: SymmetricKey
    private let roster: SymmetricKey

    /// Creates new keys for a new store.
    init() { self.init(data: SymmetricKey(size: .bits256)) }

    private init(data: SymmetricKey) {
        self.data = data
        payloads = HKDF<SHA256>.deriveKey(inputKeyMaterial: data, info: Array("yett store 1 payloads".utf8), outputByteCount: 32)
        roster = HKDF<SHA256>.deriveKey(inputKeyMaterial: data, info: Array("yett store 1 roster".utf8), outputByteCount: 32)
    }

    /// Unwraps the data key with the key source's key; `nil` if that is another key or the wrapped key was changed.
    init?(unwrapping wrapped: [UInt8], with key: SymmetricKey, authenticating header: [UInt8]) {
        guard let box = try? AES.GCM.SealedBox(combined: wrapped), var bytes = try? AES.GCM.open(box, using: key, authenticating: header)
        else { return nil }
        defer { bytes.zeroize() }
        guard bytes.count == 32 else { return nil }
        self.init(data: SymmetricKey(data: bytes))
    }

    /// Returns the data key, sealed with the key source's key.
    func wrapped(with key: SymmetricKey, authenticating header: [UInt8]) throws -> [UInt8] {
        let box = try data.withUnsafeBytes { try AES.GCM.seal($0, using: key, authenticating: header) }
        return Array(box.nonce) + Array(box.ciphertext) + Array(box.tag)
    }

    /// Seals a payload with a new random nonce.
    func seal(_ payload: Secret, authenticating context: [UInt8]) throws -> SealedPayload {
        let box = try payload.withBytes { try AES.GCM.seal($0, using: payloads, authenticating: context) }
        return SealedPayload(box: Array(box.nonce) + Array(box.ciphertext), tag: Array(box.tag))
    }

    /// Opens a payload. Throws ``StoreError/Kind/altered`` if the payload, its tag or its context was changed.
    func open(_ sealed: SealedPayload, authenticating context: [UInt8]) throws(StoreError) -> Secret {
        guard sealed.box.count >= 12, let nonce = try? AES.GCM.Nonce(data: sealed.box.prefix(12)),
            let box = try? AES.GCM.SealedBox(nonce: nonce, ciphertext: sealed.box.dropFirst(12), tag: sealed.tag),
            var bytes = try? AES.GCM.open(box, using: payloads, authenticating: context)
        else { throw StoreError(.altered) }
        defer { bytes.zeroize() }
        return Secret(bytes: bytes)
    }

    /// Returns the authentication code of a digest of the whole store.
    func authenticationCode(for digest: [UInt8]) -> [UInt8] { Array(HMAC<SHA256>.authenticationCode(for: digest, using: roster)) }

    /// Returns whether `code` authenticates `digest`.
    func isValid(_ code: [UInt8], for digest: [UInt8]) -> Bool {
        HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: digest, using: roster)
    }
}

/// A payload as stored on disk. The tag is stored separately, beside the clear columns that it authenticates.
struct SealedPayload: Sendable {
    /// Nonce and ciphertext.
    var box: [UInt8]
    var tag: [UInt8]
}

extension Data {
    /// Overwrites the bytes with zeros. Use it for a value with one owner: a shared value is copied first.
    mutating func zeroize() {
        withUnsafeMutableBytes { bytes in
            if let base = bytes.baseAddress { explicit_bzero(base, bytes.count) }
        }
    }
}

extension [UInt8] {
    /// Overwrites the bytes with zeros. Use it for a value with one owner: a shared value is copied first.
    mutating func zeroize() {
        withUnsafeMutableBytes { bytes in
            if let base = bytes.baseAddress { explicit_bzero(base, bytes.count) }
        }
    }
}
