import AuthModel
import CLibraries
import Crypto
import Glibc

/// An open security key. Its calls block; use it on one thread.
final class SecurityKeyDevice {
    private let device: OpaquePointer

    /// The relying party of all credentials of yett. It is part of each of them, so it must never change.
    private static let relyingParty = "yett.local"

    /// The time limit of one request, touch included, in milliseconds. Keys themselves wait about 30 seconds.
    private static let limit: Int32 = 40_000

    /// Opens the key at a path.
    init(_ path: String, io: cfido_io?) throws(SecurityKeyFailure) {
        var device: OpaquePointer?
        let status: Int32
        if var io {
            status = cfido_open(path, &io, Self.limit, &device)
        } else {
            status = cfido_open(path, nil, Self.limit, &device)
        }
        guard status == Self.success, let device else { throw .failed(status) }
        self.device = device
    }

    deinit { cfido_close(device) }

    /// Returns the paths of the HID devices of the kernel that are keys.
    @Sendable static func pluggedIn() -> [String] {
        var paths = [UnsafeMutablePointer<CChar>?](repeating: nil, count: 64)
        let count = cfido_list(&paths, paths.count)
        defer { for path in paths { free(path) } }
        return paths.prefix(count).compactMap { $0.map { String(cString: $0) } }
    }

    /// Whether the key has a PIN.
    var hasPIN: Bool { cfido_has_pin(device) }

    /// Returns whether the key supports hmac-secret.
    func hasSecrets() throws(SecurityKeyFailure) -> Bool {
        var answer = false
        try check(cfido_has_secrets(device, &answer))
        return answer
    }

    /// Returns whether the key made a credential. Asks the user nothing.
    func knows(_ credential: [UInt8]) -> Bool {
        cfido_knows(device, Self.relyingParty, credential, credential.count) == Self.success
    }

    /// Creates a credential that only this key can use. Waits for a touch.
    func makeCredential(pin: Secret?) throws(SecurityKeyFailure) -> [UInt8] {
        var credential = [UInt8](repeating: 0, count: CFIDO_CREDENTIAL_LIMIT)
        var count = 0
        try check(try Self.withText(pin) { cfido_make(device, Self.relyingParty, "yett", $0, &credential, &count) })
        return Array(credential.prefix(count))
    }

    /// Returns the secret of a credential and a salt: 32 bytes. Waits for a touch.
    func secret(of credential: [UInt8], salt: [UInt8], pin: Secret?) throws(SecurityKeyFailure) -> Secret {
        var bytes = [UInt8](repeating: 0, count: CFIDO_SECRET_LENGTH)
        defer { bytes.zeroize() }
        try check(
            try Self.withText(pin) {
                cfido_secret(device, Self.relyingParty, credential, credential.count, salt, $0, &bytes)
            })
        return Secret(bytes: bytes)
    }

    /// The size of a PIN in bytes (CTAP 2.1, 6.5.1).
    private static let pinSize = 4...63

    /// Gives `body` the PIN as text with a NUL byte at its end, and erases the copy.
    private static func withText(_ pin: Secret?, _ body: (UnsafePointer<CChar>?) -> Int32) throws(SecurityKeyFailure) -> Int32 {
        guard let pin else { return body(nil) }
        var text = pin.withBytes { Array($0) } + [0]
        defer { text.zeroize() }
        // Any other text would count as a wrong PIN, and the key would see only what is before a NUL byte.
        guard pinSize.contains(pin.count), text.firstIndex(of: 0) == pin.count else { throw .invalidPIN }
        return text.withUnsafeBytes { body($0.baseAddress?.assumingMemoryBound(to: CChar.self)) }
    }

    private static let success = Int32(CFIDO_OK)

    private func check(_ status: Int32) throws(SecurityKeyFailure) {
        switch status {
        case Self.success: return
        case Int32(CFIDO_PIN_INVALID):
            var tries: Int32 = 0
            throw .wrongPIN(tries: cfido_tries(device, &tries) == Self.success ? Int(tries) : nil)
        default: throw SecurityKeyFailure(status: status)
        }
    }
}

/// The data of one security key in the store's header: how to ask it, and the key of the store that its answer opens.
struct SecurityKeyEnrolment: Equatable, Sendable {
    /// Whether the secret was computed with the PIN: a key has another one without it.
    let usesPIN: Bool
    /// The identifier of the credential, which only the key that made it can use.
    let credential: [UInt8]
    /// 32 random bytes, which the key computes the secret from.
    let salt: [UInt8]
    /// The key of the store: nonce, ciphertext and tag of AES-256-GCM.
    let wrapped: [UInt8]

    private static let saltSize = 32
    private static let wrappedSize = 12 + 32 + 16
    private static let version: UInt8 = 1

    private init(usesPIN: Bool, credential: [UInt8], salt: [UInt8], wrapped: [UInt8]) {
        self.usesPIN = usesPIN
        self.credential = credential
        self.salt = salt
        self.wrapped = wrapped
    }

    /// Wraps the key of a store with the secret of a security key.
    init(
        usesPIN: Bool, credential: [UInt8], salt: [UInt8], wrapping key: Secret, of store: String, with secret: Secret
    ) throws(SecurityKeyFailure) {
        let draft = SecurityKeyEnrolment(usesPIN: usesPIN, credential: credential, salt: salt, wrapped: [])
        let box = key.withBytes { try? AES.GCM.seal($0, using: Self.wrappingKey(secret), authenticating: draft.context(of: store)) }
        guard let box else { throw .wrongSecret }
        self.init(
            usesPIN: usesPIN, credential: credential, salt: salt, wrapped: Array(box.nonce) + Array(box.ciphertext) + Array(box.tag))
    }

    /// Unwraps the key of the store.
    func key(of store: String, opening secret: Secret) throws(SecurityKeyFailure) -> Secret {
        guard let box = try? AES.GCM.SealedBox(combined: wrapped),
            var bytes = try? AES.GCM.open(box, using: Self.wrappingKey(secret), authenticating: context(of: store))
        else { throw .wrongSecret }
        defer { bytes.zeroize() }
        return Secret(bytes: bytes)
    }

    private static func wrappingKey(_ secret: Secret) -> SymmetricKey {
        let material = secret.withBytes { SymmetricKey(data: $0) }
        return HKDF<SHA256>.deriveKey(inputKeyMaterial: material, info: Array("yett store 1 security key".utf8), outputByteCount: 32)
    }

    /// The data that the wrapping authenticates.
    private func context(of store: String) -> [UInt8] {
        var bytes = CanonicalBytes(purpose: "yett store 1 security key")
        bytes.append(store)
        bytes.append(usesPIN ? 1 : 0)
        bytes.append(.blob(credential))
        bytes.append(.blob(salt))
        return bytes.bytes
    }
}

/// The encoding in the header: a version, then per key a byte for the PIN, the length of the credential in two bytes, the credential, the
/// salt and the wrapped key.
extension SecurityKeyEnrolment {
    static func encoded(_ enrolments: [SecurityKeyEnrolment]) -> [UInt8] {
        var bytes = [version]
        for one in enrolments {
            bytes.append(one.usesPIN ? 1 : 0)
            bytes += [UInt8(one.credential.count >> 8), UInt8(one.credential.count & 0xFF)]
            bytes += one.credential + one.salt + one.wrapped
        }
        return bytes
    }

    /// Reads the keys of a store: at least one. Another version is that of a later yett.
    static func all(in bytes: [UInt8]) throws(StoreError) -> [SecurityKeyEnrolment] {
        guard let version = bytes.first else { throw StoreError(.altered) }
        guard version == Self.version else { throw StoreError(.newerFormat) }
        var rest = bytes.dropFirst()
        func read(_ count: Int) throws(StoreError) -> [UInt8] {
            guard rest.count >= count else { throw StoreError(.altered) }
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
        var enrolments: [SecurityKeyEnrolment] = []
        while !rest.isEmpty {
            let head = try read(3)
            let length = Int(head[1]) << 8 | Int(head[2])
            guard head[0] <= 1, length > 0 else { throw StoreError(.altered) }
            enrolments.append(
                SecurityKeyEnrolment(
                    usesPIN: head[0] == 1, credential: try read(length), salt: try read(saltSize), wrapped: try read(wrappedSize)))
        }
        guard (1...SecurityKey.maximum).contains(enrolments.count) else { throw StoreError(.altered) }
        return enrolments
    }
}
