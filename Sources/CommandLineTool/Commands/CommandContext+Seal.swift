internal import AuthModel
internal import Localization
internal import SessionStore
internal import UserConfiguration

extension CommandContext {
    /// The keyring of the user's desktop.
    var keyring: SecretServiceKey { SecretServiceKey(environment: edges.environment, time: edges.time) }

    /// Returns the source of the key for the store in `directory`.
    ///
    /// `auto` uses the source of an existing store. A new store is sealed by the keyring if there is one and it is unlocked, otherwise by a
    /// key file. Prints a warning if there is a keyring that cannot be used.
    func keySource(_ seal: Configuration.Seal, in directory: String, isNew: Bool) async -> KeySource {
        let keyFile = KeyFile(path: "\(directory)/sessions.key")
        switch seal {
        case .passphrase: return .passphrase
        case .secretService: return .storage(keyring)
        case .keyFile: return .storage(keyFile)
        case .memory: return .memory
        case .auto:
            guard isNew else { return .automatic([keyFile, keyring]) }
            let trouble = await keyring.trouble()
            guard let trouble else { return .automatic([keyring, keyFile]) }
            if trouble.isObstacle {
                console.warning("the new store is sealed by a key file: \(StoreError(.keyring(trouble)).failure.summary)")
            }
            return .automatic([keyFile, keyring])
        }
    }
}

extension KeyringFailure {
    /// Whether the machine has a keyring that this failure makes unusable; `false` if it has no keyring, which is a normal setup.
    var isObstacle: Bool {
        switch self {
        case .locked, .noAnswer, .failed, .keyLost, .wrongKey: true
        case .noLibrary(_, let isMissing): !isMissing
        case .noBus, .noService, .noCollection: false
        }
    }
}
