public import AuthModel

/// The reason why the user's keyring does not return or store the key of a store.
public enum KeyringFailure: Equatable, Sendable {
    /// libsecret, which accesses the keyring, cannot be used; the reason, and whether installing it helps.
    case noLibrary(String, isMissing: Bool)
    /// There is no session bus.
    case noBus
    /// No program on the session bus provides the Secret Service.
    case noService
    /// There is no default keyring for a new key.
    case noCollection
    /// The keyring is locked. Yett does not ask the user to unlock it.
    case locked
    /// The keyring did not answer within the time limit.
    case noAnswer
    /// The keyring is readable, but has no key for this store.
    case keyLost
    /// The keyring has a key for this store, but it does not open the store.
    case wrongKey
    /// Another failure, with the keyring program's message.
    case failed(UserMessage)

    /// Returns the failure for the user. `place` is the store's file.
    func failure(place: UserMessage) -> AuthFailure {
        func wrong(_ message: UserMessage, _ hint: UserMessage) -> AuthFailure { AuthFailure(.configuration, message, hint: hint) }
        let restore = UserMessage("hint.restore_keyring_or_move_store", ["path": place])
        switch self {
        case .noLibrary(let reason, let isMissing):
            return wrong(
                UserMessage("keyring.cannot_connect", ["detail": reason]),
                isMissing
                    ? UserMessage("hint.install_libsecret")
                    : UserMessage("hint.free_memory_or_reinstall_libsecret"))
        case .noBus:
            return wrong(
                UserMessage("keyring.no_session_bus"),
                UserMessage("hint.set_session_bus_address"))
        case .noService:
            return wrong(
                UserMessage("keyring.no_secret_service"),
                UserMessage("hint.start_keyring_program"))
        case .noCollection:
            return wrong(
                UserMessage("keyring.no_default_keyring"),
                UserMessage("hint.create_default_keyring"))
        case .locked: return wrong(UserMessage("keyring.locked"), UserMessage("hint.unlock_keyring"))
        case .noAnswer: return wrong(UserMessage("keyring.no_answer"), UserMessage("hint.check_keyring_prompt"))
        case .keyLost: return wrong(UserMessage("keyring.key_lost", ["path": place]), restore)
        case .wrongKey: return wrong(UserMessage("keyring.wrong_key", ["path": place]), restore)
        case .failed(let reason): return wrong(UserMessage("keyring.failed", ["detail": reason]), UserMessage("hint.run_doctor"))
        }
    }
}
