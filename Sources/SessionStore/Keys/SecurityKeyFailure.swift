import AuthModel
import CLibraries

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

    /// What a status of the key means.
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
