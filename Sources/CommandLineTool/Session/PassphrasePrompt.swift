internal import Agent
internal import AuthModel
internal import Localization
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
