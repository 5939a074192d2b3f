import AuthModel
import CLibraries
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
