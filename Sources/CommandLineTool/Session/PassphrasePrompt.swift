internal import Agent
internal import AuthModel
internal import Localization
internal import SessionStore
internal import UserConfiguration

/// Unlocks a store with the passphrase in `YETT_PASSPHRASE_FILE`, or with one that the user types. Never takes it from the command line.
///
/// A security key's PIN is always typed: a wrong one in a file would block the key after some commands.
struct PassphrasePrompt {
    let context: CommandContext

    /// The number of times that the user may enter the passphrase.
    private static let attempts = 3

    func unlock(_ service: any SessionService) async throws(AuthFailure) {
        guard case .locked = try await service.storeState() else { return }
        try await service.unlockIfNoPassphraseNeeded()
        try await unlockFromFile(service)
        let report = try await service.perform(ReadSeal())
        guard case .locked(let isNew) = report.state else { return }
        guard report.needsPassphrase else {
            // The agent answers the request with its reason: the user locked the store, or its key cannot be had.
            if service is AgentClient { return }
            throw AuthFailure(.configuration, text: "the store is locked", hint: "unlock it with: yett agent unlock")
        }
        guard context.canAsk else {
            if report.seal == .securityKey {
                throw AuthFailure(
                    .configuration, text: "the store needs your security key", hint: "unlock it in a terminal with: yett agent unlock")
            }
            // A tool's helper cannot ask even in a terminal: the tool's request is on its standard input. An agent can be unlocked before.
            let usesAgent = service is AgentClient
            throw AuthFailure(
                .configuration, text: isNew ? "the new store needs a passphrase" : "the store is locked",
                hint: (usesAgent ? "unlock it with: yett agent unlock, or " : "run this in a terminal, or ")
                    + "set YETT_PASSPHRASE_FILE to a file with the passphrase")
        }
        if report.seal == .securityKey {
            let pin = try await pin("PIN of your security key (empty if it has none):")
            sayTouch()
            return try await service.unlock(passphrase: pin, isPIN: true)
        }
        if isNew { return try await service.unlock(passphrase: newPassphrase()) }
        for attempt in 1... {
            do throws(AuthFailure) {
                return try await service.unlock(passphrase: ask("Store passphrase:"))
            } catch {
                guard error.kind == .configuration, attempt < Self.attempts, await !service.needsSecurityKey() else { throw error }
                context.console.warning(error.summary)
            }
        }
    }

    /// Unlocks the store with the passphrase in `YETT_PASSPHRASE_FILE`. Does nothing if that is not set or the store takes no passphrase.
    func unlockFromFile(_ service: any SessionService) async throws(AuthFailure) {
        guard let path = context.edges.environment["YETT_PASSPHRASE_FILE"], !path.isEmpty else { return }
        let report = try await service.perform(ReadSeal())
        guard case .locked = report.state, report.needsPassphrase, report.seal != .securityKey else { return }
        try await service.unlock(passphrase: passphrase(in: path))
    }

    /// Returns the first line of a file that only its owner can read.
    private func passphrase(in path: String) throws(AuthFailure) -> Secret {
        guard let passphrase = try PrivateFile.readSecret(path) else {
            throw AuthFailure(.configuration, text: "passphrase file \(path) not found", hint: "check YETT_PASSPHRASE_FILE")
        }
        guard !passphrase.isEmpty else {
            throw AuthFailure(.configuration, text: "the passphrase file \(path) is empty", hint: "put the passphrase on its first line")
        }
        return passphrase
    }

    /// Returns the passphrase of the store, from the file or from the user.
    func currentPassphrase() async throws(AuthFailure) -> Secret {
        if let path = context.edges.environment["YETT_PASSPHRASE_FILE"], !path.isEmpty { return try passphrase(in: path) }
        guard context.canAsk else {
            throw AuthFailure(
                .configuration, text: "the store's passphrase is needed",
                hint: "run this in a terminal, or set YETT_PASSPHRASE_FILE to a file with the passphrase")
        }
        return try await ask("Store passphrase:")
    }

    /// Returns the PIN of a security key, from the user; empty for a key that has none.
    func pin(_ question: String) async throws(AuthFailure) -> Secret {
        guard context.canAsk else {
            throw AuthFailure(.configuration, text: "the PIN of the security key is needed", hint: "run this in a terminal")
        }
        return try await ask(question)
    }

    /// Tells the user to touch the key, before a request that waits for it.
    func sayTouch() { context.console.note("Touch your security key each time it blinks.") }

    /// Returns a passphrase for a store that exists, from the user.
    ///
    /// - Parameter fromFile: whether the file may have it.
    func newPassphrase(fromFile: Bool) async throws(AuthFailure) -> Secret {
        if fromFile, let path = context.edges.environment["YETT_PASSPHRASE_FILE"], !path.isEmpty { return try passphrase(in: path) }
        guard context.canAsk else {
            throw AuthFailure(.configuration, text: "a new passphrase is needed", hint: "run this in a terminal")
        }
        let passphrase = try await newPassphrase()
        guard !passphrase.isEmpty else {
            throw AuthFailure(.configuration, text: "a passphrase cannot be empty", hint: "try again; nothing was changed")
        }
        return passphrase
    }

    private func newPassphrase() async throws(AuthFailure) -> Secret {
        context.console.note("Choose a passphrase for the store. It cannot be recovered: without it, the sessions are lost.")
        while true {
            let first = try await ask("New passphrase:")
            if try await ask("Repeat passphrase:") == first { return first }
            context.console.note("The passphrases differ. Try again.")
        }
    }

    private func ask(_ question: String) async throws(AuthFailure) -> Secret {
        let console = context.console
        guard let answer = await context.edges.streams.hiddenLine({ console.ask(question) }) else {
            // The cursor is still on the line of the question.
            context.console.note("")
            throw AuthFailure(.cancelled, text: "nothing was entered")
        }
        return answer
    }
}

extension CommandContext {
    /// The keyring of the user's desktop.
    var keyring: SecretServiceKey { SecretServiceKey(environment: edges.environment, time: edges.time) }

    /// The key that systemd seals to this machine and user.
    var systemCredential: SystemCredentialKey { SystemCredentialKey(location: edges.systemCredentials) }

    /// The security keys that are plugged in.
    var securityKey: SecurityKey { SecurityKey(location: edges.securityKeys) }

    private func keyFile(in directory: String) -> KeyFile { KeyFile(path: "\(directory)/sessions.key") }

    /// Throws unless the configuration accepts a store with that seal. The agent's other callers are bound by it as `yett seal` is, which
    /// sets `auto` first.
    func requireAllowed(_ seal: Seal) throws(AuthFailure) {
        let loaded = try configurationFile().load()
        try loaded.requireUnlockedSeal()
        let configured = loaded.configuration.seal
        guard configured != .auto, configured.rawValue != seal.rawValue else { return }
        throw AuthFailure(
            .configuration,
            text: "seal is \"\(configured.rawValue)\" in the configuration, which does not allow \(seal.rawValue)",
            hint: "change both with: yett seal \(ShellWord(seal.rawValue))")
    }

    /// Returns the source of the key for a seal that the user chooses, and the storages that may have an older key; `nil` for a store in
    /// memory.
    func keyChoice(_ seal: Seal, in directory: String) -> (source: KeySource, others: [any KeyStorage])? {
        let keyFile = keyFile(in: directory)
        return switch seal {
        case .passphrase: (.passphrase, [keyFile, keyring])
        case .secretService: (.storage(keyring), [keyFile])
        case .system: (.storage(systemCredential), [keyFile, keyring])
        case .securityKey: (.storage(securityKey), [keyFile, keyring])
        case .keyFile: (.storage(keyFile), [keyring])
        case .memory: nil
        }
    }

    /// Returns the source of the key for the store in `directory`.
    ///
    /// `auto` uses the source of an existing store. A new store is sealed by the keyring if there is one and it is unlocked, otherwise by
    /// systemd's service if it works, otherwise by a key file. Prints a warning if there is a keyring or a service that cannot be used.
    func keySource(_ seal: Configuration.Seal, in directory: String, isNew: Bool) async -> KeySource {
        let keyFile = keyFile(in: directory)
        switch seal {
        case .passphrase: return .passphrase
        case .secretService: return .storage(keyring)
        case .system: return .storage(systemCredential)
        case .securityKey: return .storage(securityKey)
        case .keyFile: return .storage(keyFile)
        case .memory: return .memory
        case .auto:
            guard isNew else { return .automatic([keyFile, keyring, systemCredential, securityKey]) }
            guard let keyringTrouble = await keyring.trouble() else {
                return .automatic([keyring, systemCredential, keyFile, securityKey])
            }
            let systemTrouble = await systemCredential.trouble()
            let way = systemTrouble == nil ? "systemd to this machine" : "a key file"
            if keyringTrouble.isObstacle {
                console.warning("the new store is sealed by \(way): \(StoreError(.keyring(keyringTrouble)).failure.summary)")
            }
            guard let systemTrouble else { return .automatic([systemCredential, keyring, keyFile, securityKey]) }
            if systemTrouble.isObstacle {
                console.warning("the new store is sealed by \(way): \(StoreError(.systemKey(systemTrouble)).failure.summary)")
            }
            return .automatic([keyFile, keyring, systemCredential, securityKey])
        }
    }
}

extension SystemCredentialFailure {
    /// Whether the machine has systemd's service and this failure makes it unusable; `false` if it has none, which is a normal setup.
    var isObstacle: Bool {
        if case .noService = self { false } else { true }
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
