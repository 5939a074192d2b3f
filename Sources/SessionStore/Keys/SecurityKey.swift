public import AuthModel
package import CLibraries
import Crypto
import Glibc
import OperatingSystem
import Synchronization

/// A random 256-bit key that FIDO2 security keys open: each computes a secret that wraps it (CTAP 2.1, 12.5, hmac-secret).
///
/// The store's header keeps what each key needs, so a copied store opens nowhere without one of the keys. A key asks for its PIN, if it has
/// one, and for a touch. Nothing is stored on it.
public struct SecurityKey: KeyStorage {
    /// The access to the keys that are plugged in.
    public struct Location: Sendable {
        /// Returns the paths of the keys that are plugged in now.
        package var paths: @Sendable () -> [String]
        /// Opens, reads and writes a key; `nil` for the HID devices of the kernel.
        package var io: cfido_io?

        package init(io: cfido_io?, paths: @escaping @Sendable () -> [String]) {
            self.io = io
            self.paths = paths
        }

        /// This machine.
        public static var system: Location { Location(io: nil, paths: SecurityKeyDevice.pluggedIn) }
        /// A machine without keys.
        public static var none: Location { Location(io: nil) { [] } }
    }

    private let location: Location
    /// The PIN that the user entered.
    private var pin: Secret?

    /// The largest number of keys for one store.
    public static let maximum = 8

    package init(location: Location) { self.location = location }

    /// ``Seal/securityKey``.
    public var seal: Seal { .securityKey }
    /// ``SecurityKeyFailure/wrongSecret``.
    public var mismatch: StoreError { StoreError(.securityKey(.wrongSecret)) }
    /// False: the user must touch the key.
    public var isImmediate: Bool { false }
    /// True.
    public var asksUser: Bool { true }

    /// Returns this storage with the PIN that the user entered; empty or `nil` for a key that has none.
    public func entering(_ pin: Secret?) -> any KeyStorage {
        var storage = self
        storage.pin = pin
        return storage
    }

    /// Returns the number of keys that are plugged in. Throws if there is none, or no library that could ask it.
    public func pluggedIn() async throws(SecurityKeyFailure) -> Int {
        try await run { (location) throws(SecurityKeyFailure) in
            let count = location.paths().count
            guard count > 0 else { throw .noKey }
            return count
        }
    }

    /// Has a key that is plugged in open the key of the store. Waits for a touch.
    public func key(store: String, credential: [UInt8]) async throws(StoreError) -> Secret {
        let enrolments = try SecurityKeyEnrolment.all(in: credential)
        return try await storing { (location, pin) throws(SecurityKeyFailure) in
            try Self.open(enrolments, of: store, pin: pin, at: location)
        }
    }

    /// Enrols the only key that is plugged in. Waits for two touches.
    public func newKey(store: String) async throws(StoreError) -> NewKey {
        let key = SymmetricKey(size: .bits256).withUnsafeBytes { Secret(bytes: $0) }
        let enrolment = try await storing { (location, pin) throws(SecurityKeyFailure) in
            try Self.enrol(key, for: store, excluding: [], pin: pin, at: location)
        }
        return NewKey(key, credential: SecurityKeyEnrolment.encoded([enrolment]))
    }

    /// Enrols a key beside those of `credential`, one of which is plugged in too. Waits for a touch of that one, and two of the new one.
    ///
    /// - Returns: what the store's header keeps in place of `credential`.
    func adding(to credential: [UInt8], store: String, newPIN: Secret?) async throws(StoreError) -> [UInt8] {
        let enrolments = try SecurityKeyEnrolment.all(in: credential)
        guard enrolments.count < Self.maximum else { throw StoreError(.securityKey(.tooMany)) }
        let added = try await storing { (location, pin) throws(SecurityKeyFailure) in
            // First, because a missing second key would make the touch of the first one useless.
            _ = try Self.newDevice(at: location, excluding: enrolments)
            let key = try Self.open(enrolments, of: store, pin: pin, at: location)
            return try Self.enrol(key, for: store, excluding: enrolments, pin: newPIN, at: location)
        }
        return SecurityKeyEnrolment.encoded(enrolments + [added])
    }

    /// Does nothing: a key stores nothing.
    public func forget(store: String) {}
}

/// The operations of a key, on a thread of their own: each step waits for the user.
extension SecurityKey {
    private static func open(
        _ enrolments: [SecurityKeyEnrolment], of store: String, pin: Secret?, at location: Location
    ) throws(SecurityKeyFailure) -> Secret {
        let hasPIN = pin?.isEmpty == false
        var withPIN: [(device: SecurityKeyDevice, enrolment: SecurityKeyEnrolment)] = []
        var withoutPIN: [(device: SecurityKeyDevice, enrolment: SecurityKeyEnrolment)] = []
        for device in try devices(at: location) {
            guard let enrolment = enrolments.first(where: { device.knows($0.credential) }) else { continue }
            if enrolment.usesPIN { withPIN.append((device, enrolment)) } else { withoutPIN.append((device, enrolment)) }
        }
        guard let chosen = (hasPIN ? withPIN + withoutPIN : withoutPIN + withPIN).first else { throw .otherKey }
        if chosen.enrolment.usesPIN {
            // The PIN of one would count as a wrong one of another.
            guard withPIN.count == 1 else { throw .severalOfStore }
            guard hasPIN else { throw .pinNeeded }
        }
        let secret = try chosen.device.secret(
            of: chosen.enrolment.credential, salt: chosen.enrolment.salt, pin: chosen.enrolment.usesPIN ? pin : nil)
        return try chosen.enrolment.key(of: store, opening: secret)
    }

    private static func enrol(
        _ key: Secret, for store: String, excluding enrolled: [SecurityKeyEnrolment], pin: Secret?, at location: Location
    ) throws(SecurityKeyFailure) -> SecurityKeyEnrolment {
        let device = try newDevice(at: location, excluding: enrolled)
        let usesPIN = device.hasPIN
        guard !usesPIN || pin?.isEmpty == false else { throw .pinNeeded }
        let credential = try device.makeCredential(pin: usesPIN ? pin : nil)
        // Opening begins with this question, which some keys do not answer.
        guard device.knows(credential) else { throw .unsupported }
        let salt = SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }
        let secret = try device.secret(of: credential, salt: salt, pin: usesPIN ? pin : nil)
        return try SecurityKeyEnrolment(usesPIN: usesPIN, credential: credential, salt: salt, wrapping: key, of: store, with: secret)
    }

    /// Returns the only key that can be enrolled and is not.
    private static func newDevice(
        at location: Location, excluding enrolled: [SecurityKeyEnrolment]
    ) throws(SecurityKeyFailure) -> SecurityKeyDevice {
        let new = try devices(at: location).filter { device in !enrolled.contains { device.knows($0.credential) } }
        guard !new.isEmpty else { throw .alreadyEnrolled }
        var able: [SecurityKeyDevice] = []
        for device in new where try device.hasSecrets() { able.append(device) }
        guard let device = able.first else { throw .unsupported }
        guard able.count == 1 else { throw .severalKeys }
        return device
    }

    /// Returns the keys that can be opened.
    private static func devices(at location: Location) throws(SecurityKeyFailure) -> [SecurityKeyDevice] {
        var devices: [SecurityKeyDevice] = []
        var failure = SecurityKeyFailure.noKey
        for path in location.paths() {
            do throws(SecurityKeyFailure) { devices.append(try SecurityKeyDevice(path, io: location.io)) } catch { failure = error }
        }
        guard !devices.isEmpty else { throw failure }
        return devices
    }

    /// One request at a time: a key answers only one.
    private static let turn = Mutex(())

    private func storing<Value: Sendable>(
        _ body: @escaping @Sendable (Location, Secret?) throws(SecurityKeyFailure) -> Value
    ) async throws(StoreError) -> Value {
        let pin = pin
        do throws(SecurityKeyFailure) {
            return try await run { (location) throws(SecurityKeyFailure) in try body(location, pin) }
        } catch {
            throw StoreError(.securityKey(error))
        }
    }

    private func run<Value: Sendable>(
        _ body: @escaping @Sendable (Location) throws(SecurityKeyFailure) -> Value
    ) async throws(SecurityKeyFailure) -> Value {
        let location = location
        let result = await DetachedThread.run { () -> Result<Value, SecurityKeyFailure> in
            if let failure = cfido_load()?.pointee {
                return .failure(.noLibrary(String(cString: failure.reason), isMissing: failure.is_missing))
            }
            return Self.turn.withLock { _ in Result { () throws(SecurityKeyFailure) in try body(location) } }
        }
        return try result.get()
    }
}

/// The reason why no security key opens a store, or can be enrolled.
public enum SecurityKeyFailure: Error, Equatable, Sendable {
    /// libfido2, which asks the keys, cannot be used; the reason, and whether installing it helps.
    case noLibrary(String, isMissing: Bool)
    /// No key is plugged in, or the user may not use it.
    case noKey
    /// No key that is plugged in was enrolled for the store.
    case otherKey
    /// Several keys are plugged in that could be enrolled.
    case severalKeys
    /// Several keys with a PIN that open the store are plugged in: one of them would count the other's PIN as wrong.
    case severalOfStore
    /// Every key that is plugged in is enrolled already.
    case alreadyEnrolled
    /// The store has ``SecurityKey/maximum`` keys.
    case tooMany
    /// The store is not sealed by a security key, so none can be added.
    case notSealed
    /// The key does not support hmac-secret.
    case unsupported
    /// The key needs its PIN, and none was entered.
    case pinNeeded
    /// The text cannot be a PIN. The key was not asked.
    case invalidPIN
    /// The PIN is wrong; how many wrong ones are left before the key blocks itself.
    case wrongPIN(tries: Int?)
    /// The key accepts no PIN until it is plugged in again.
    case pinPaused
    /// The key accepts no PIN any more.
    case pinBlocked
    /// The key was not touched in time.
    case noTouch
    /// The key computed another secret than at its enrolment, or the store was changed.
    case wrongSecret
    /// The key or libfido2 failed with this status.
    case failed(Int32)

    /// Creates the meaning of a key's status.
    init(status: Int32) {
        switch Int(status) {
        case CFIDO_UNSUPPORTED_EXTENSION: self = .unsupported
        case CFIDO_NO_CREDENTIALS: self = .otherKey
        case CFIDO_USER_ACTION_TIMEOUT, CFIDO_ACTION_TIMEOUT, CFIDO_OPERATION_DENIED, CFIDO_KEEPALIVE_CANCEL: self = .noTouch
        case CFIDO_PIN_INVALID: self = .wrongPIN(tries: nil)
        case CFIDO_PIN_AUTH_BLOCKED: self = .pinPaused
        case CFIDO_PIN_BLOCKED: self = .pinBlocked
        case CFIDO_PIN_REQUIRED: self = .pinNeeded
        case CFIDO_PIN_POLICY_VIOLATION: self = .invalidPIN
        default: self = .failed(status)
        }
    }

    /// Returns the failure for the user. `store` is the file of the store; `nil` for a new key.
    func failure(store: String?) -> AuthFailure {
        let path: UserMessage = store.map(UserMessage.verbatim) ?? "phrase.the_store"
        func wrong(_ message: UserMessage, _ hint: UserMessage) -> AuthFailure { AuthFailure(.configuration, message, hint: hint) }
        // A new key says nothing of the store, which still opens with what it has.
        let other: UserMessage =
            store == nil ? "hint.use_hmac_secret_key" : UserMessage("hint.use_other_security_key", ["path": path])
        switch self {
        case .noLibrary(let reason, let isMissing):
            return wrong(
                UserMessage("security_key.no_library", ["detail": reason]),
                isMissing ? "hint.install_libfido2" : "hint.free_memory_or_reinstall_libfido2")
        case .noKey: return wrong("security_key.none", "hint.plug_in_security_key")
        case .otherKey: return wrong(UserMessage("security_key.other_key", ["path": path]), other)
        case .severalKeys: return wrong("security_key.several", "hint.leave_one_security_key")
        case .severalOfStore: return wrong("security_key.several_of_store", "hint.leave_one_key_of_store")
        case .alreadyEnrolled: return wrong("security_key.already_enrolled", "hint.plug_in_both_security_keys")
        case .tooMany:
            return wrong(UserMessage("security_key.too_many", ["count": SecurityKey.maximum]), "hint.enrol_security_keys_anew")
        case .notSealed: return wrong("security_key.not_sealed", "hint.seal_with_security_key_first")
        case .unsupported: return wrong("security_key.unsupported", "hint.use_hmac_secret_key")
        case .pinNeeded: return wrong("security_key.pin_needed", "hint.enter_pin")
        case .invalidPIN: return wrong("security_key.invalid_pin", "hint.enter_pin")
        case .wrongPIN(let tries):
            let message = tries.map { UserMessage("security_key.wrong_pin_with_tries", ["count": $0]) }
            return wrong(message ?? "security_key.wrong_pin", "hint.enter_pin_again")
        case .pinPaused: return wrong("security_key.pin_paused", "hint.plug_in_security_key_again")
        case .pinBlocked: return wrong("security_key.pin_blocked", other)
        case .noTouch: return wrong("security_key.no_touch", "hint.touch_security_key")
        case .wrongSecret: return wrong(UserMessage("security_key.wrong_secret", ["path": path]), other)
        case .failed(let status):
            return wrong(UserMessage("security_key.failed", ["code": Int(status)]), "hint.plug_in_security_key_again")
        }
    }
}
