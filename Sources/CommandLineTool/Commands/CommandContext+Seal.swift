internal import AuthModel
internal import SessionStore

extension CommandContext {
    /// The keyring of this person's desktop.
    var keyring: SecretServiceKey { SecretServiceKey(environment: edges.environment, time: edges.time) }

    /// Where the key of the store in `directory` comes from.
    ///
    /// `auto` follows the store there is. A new one is sealed by the keyring where there is one that is unlocked, else by a key file;
    /// where the keyring is there and cannot be used, that is said.
    func keySource(_ seal: Configuration.Seal, in directory: String, isNew: Bool) async -> KeySource {
        let keyFile = KeyFile(path: "\(directory)/sessions.key")
        switch seal {
        case .passphrase: return .passphrase
        case .secretService: return .holder(keyring)
        case .keyFile: return .holder(keyFile)
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
    /// Whether there is a keyring, which could be used if it were not for this. A machine without one is as good as any.
    var isObstacle: Bool {
        switch self {
        case .locked, .noAnswer, .failed, .keyLost, .wrongKey: true
        case .noLibrary(_, let isMissing): !isMissing
        case .noBus, .noService, .noCollection: false
        }
    }
}
