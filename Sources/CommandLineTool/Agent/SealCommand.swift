internal import Agent
internal import ArgumentParser
internal import AuthModel
internal import Localization
internal import SessionStore
internal import TerminalApp
internal import TerminalUI
internal import UserConfiguration

/// `yett seal`: shows how the store's key is kept, and changes it.
struct SealCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "seal", abstract: "Show how the store's key is kept, or change it.",
        discussion: """
            passphrase: you enter it. secret-service: in your login keyring. system: sealed by systemd to this machine and to you, \
            with the TPM where there is one. security-key: your FIDO2 key opens it, with its PIN and a touch. key-file: in a file next \
            to the store. What each protects from, and what it does not: yett help security.

            A change keeps all sessions, and is one step: if it is interrupted, the old or the new way opens the store. It also sets \
            seal in [store] of the configuration. A store with a passphrase asks for it first. Older copies of the store still open \
            with their old passphrase or key.

            A second security key is a spare: plug both in, then run yett seal --add-key. To remove a lost key, run yett seal \
            security-key with the one you keep. If you lose all of them, nothing opens the store: move it away and sign in again.
            """)
    static let examples: KeyValuePairs = [
        "yett seal": "Shows how the store's key is kept, and what that protects from.",
        "yett seal system": "Has systemd seal the key to this machine.",
        "yett seal passphrase": "Asks for a new passphrase.",
        "yett seal security-key": "Has your security key open the store.",
        "yett seal --add-key": "Adds a second security key.",
    ]

    /// The ways of keeping the key of a store on disk.
    enum Tier: String, ExpressibleByArgument, CaseIterable {
        case passphrase
        case secretService = "secret-service"
        case system
        case securityKey = "security-key"
        case keyFile = "key-file"
    }

    @Argument(help: "The new way to keep the key. Default: only show.")
    var tier: Tier?

    @Flag(help: "Have another security key open the store too.")
    var addKey = false

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        if addKey, let tier, tier != .securityKey { throw ValidationError("--add-key is for security-key") }
    }

    func run(in context: CommandContext) async throws {
        guard context.agentLocation.remoteSocket == nil else {
            throw AuthFailure(.configuration, text: "the store is on another machine", hint: "run yett seal there")
        }
        if addKey {
            try await SealChange(context: context, seal: .securityKey).addKey()
        } else if let tier, let seal = Seal(rawValue: tier.rawValue) {
            try await SealChange(context: context, seal: seal).run()
        }
        let configured = try context.configurationFile().read().seal
        let directory = try context.directories.data
        var report: SealReport?
        if configured != .memory, FileStatus.exists("\(directory)/\(SessionStore.fileName)") {
            report = try await context.service().perform(ReadSeal())
        }
        try context.answer(SealDescription(report: report, configured: configured, directory: directory), asJSON: json)
    }
}

/// A change of how the store's key is kept.
///
/// The configuration allows both the old and the new way until the store is changed, so that an interruption leaves none that refuses the
/// store.
private struct SealChange {
    let context: CommandContext
    let seal: Seal

    func run() async throws(AuthFailure) {
        let file = try context.configurationFile()
        let loaded = try file.load()
        try loaded.requireUnlockedSeal()
        let configured = loaded.configuration.seal
        guard configured != .memory else {
            throw AuthFailure(
                .configuration, text: "sessions are kept in memory only, so there is no store",
                hint: "set seal = \"\(seal.rawValue)\" in [store] of \(file.path); then sign in again")
        }
        guard FileStatus.exists("\(try context.directories.data)/\(SessionStore.fileName)") else {
            try save(seal.rawValue, to: file)
            return context.console.note("there is no store yet; the next sign-in creates one")
        }
        let service = try await context.service(creating: true)
        let operation = try await operation(for: service)
        if configured != .auto { try save(Configuration.Seal.auto.rawValue, to: file) }
        var changed: Seal?
        do throws(AuthFailure) {
            changed = try await service.perform(operation).seal
        } catch {
            let isOver = !error.isWithoutAnswer
            let present = isOver ? try? await service.perform(ReadSeal()).seal : nil
            guard error.message.code == StoreError.oldKeyRemains else {
                if configured != .auto { restore(configured, present: present, in: file) }
                throw error
            }
            changed = present
            context.console.warning(error.summary, hint: error.hintText)
        }
        let kept = changed ?? seal
        try save(kept.rawValue, to: file)
        context.console.done("the store's key is now kept by: \(kept.rawValue)")
    }

    /// Has another security key open the store.
    func addKey() async throws(AuthFailure) {
        try context.configurationFile().load().requireUnlockedSeal()
        guard FileStatus.exists("\(try context.directories.data)/\(SessionStore.fileName)") else { throw Self.noKeyYet }
        let service = try await context.service(creating: true)
        guard await service.needsSecurityKey() else { throw Self.noKeyYet }
        let prompt = PassphrasePrompt(context: context)
        let pin = try await prompt.pin(Self.pinQuestion)
        let newPIN = try await prompt.pin("PIN of the new key (empty if it has none):")
        prompt.sayTouch()
        if try await service.storeState() != .unlocked { try await service.unlock(passphrase: pin, isPIN: true) }
        let report = try await service.perform(ChangeSeal(.securityKey, passphrase: pin, newPassphrase: newPIN, addsKey: true))
        context.console.done("security keys that open the store: \(report.securityKeys ?? 0)")
    }

    private static let pinQuestion = "PIN of the key that opens the store (empty if it has none):"

    private static var noKeyYet: AuthFailure { StoreError(.securityKey(.notSealed)).failure }

    /// Undoes the change of the configuration after a failure, if the store certainly has its old seal.
    ///
    /// - Parameter present: the store's seal; `nil` if it is not known, because the change may still be made.
    private func restore(_ configured: Configuration.Seal, present: Seal?, in file: ConfigurationFile) {
        if present?.rawValue == configured.rawValue, (try? save(configured.rawValue, to: file)) != nil { return }
        context.console.warning("the store's key may already be kept in the new way, so seal stays \"auto\" in [store] of \(file.path)")
        context.console.hint("look with: yett seal; then run this command again")
    }

    /// Unlocks the store, and asks for the passphrases that the change needs.
    private func operation(for service: any SessionService) async throws(AuthFailure) -> ChangeSeal {
        let prompt = PassphrasePrompt(context: context)
        var operation = ChangeSeal(seal)
        let report = try await service.perform(ReadSeal())
        let needsKey = report.seal == .securityKey
        let needsPassphrase = report.needsPassphrase && !needsKey
        if needsKey {
            operation.passphrase = try await prompt.pin(Self.pinQuestion)
            operation.isPIN = true
        } else if needsPassphrase {
            let passphrase = try await prompt.currentPassphrase()
            if try await service.storeState() != .unlocked { try await service.unlock(passphrase: passphrase) }
            operation.passphrase = passphrase
        } else {
            try await prompt.unlock(service)
        }
        if seal == .securityKey {
            operation.newPassphrase = try await prompt.pin("PIN of the security key to enrol (empty if it has none):")
        }
        // A file with the passphrase has the current one, if the store has one.
        if seal == .passphrase { operation.newPassphrase = try await prompt.newPassphrase(fromFile: !needsPassphrase) }
        if needsKey || seal == .securityKey { prompt.sayTouch() }
        if needsKey, let pin = operation.passphrase, try await service.storeState() != .unlocked {
            try await service.unlock(passphrase: pin, isPIN: true)
        }
        return operation
    }

    private func save(_ word: String, to file: ConfigurationFile) throws(AuthFailure) {
        try file.save(SettingChange(.seal, .word(word)))
    }
}

extension LoadedConfiguration {
    /// Throws if an administrator locked how the store's key is kept.
    func requireUnlockedSeal() throws(AuthFailure) {
        guard let lock = locked.first(where: { ["store", "seal"].starts(with: $0.path) }) else { return }
        throw AuthFailure(.configuration, text: "an administrator locked \(lock.text): \(lock.place)", hint: "ask your administrator")
    }
}

extension AuthFailure {
    /// Whether the agent may still carry out the operation, or has carried it out, although it failed here.
    fileprivate var isWithoutAnswer: Bool {
        switch kind {
        case .cancelled, .timedOut, .unavailable: true
        default: false
        }
    }
}

/// The seal of the store, with the attacks that it protects from.
struct SealDescription: Answer {
    /// `nil` if there is no store.
    let report: SealReport?
    let configured: Configuration.Seal
    let directory: String

    private var seal: Seal? { configured == .memory ? .memory : report?.seal }
    private var protection: ProtectionWords? {
        (configured == .memory ? .memory : report?.protection).map { ProtectionWords($0) }
    }

    var lines: [String] {
        guard let seal, let protection else {
            return ["no store yet; it will be created in \(directory)", "configured: \(configured.rawValue)"]
        }
        return ["seal: \(seal.rawValue), \(protection.keyLocation)", "configured: \(configured.rawValue)"]
            + protection.covers.map { "protects from: \($0)" } + protection.lacks.map { "does not protect from: \($0)" }
    }

    func rows(on display: Display) -> [StyledText] {
        guard let seal, let protection else { return lines.map { StyledText($0) } }
        return display.marked(display.good, "\(seal.rawValue): \(protection.keyLocation)")
            + [StyledText("  configured: \(configured.rawValue)", .muted)]
            + protection.covers.flatMap { display.marked(display.good, "protects from \($0)") }
            + protection.lacks.flatMap { display.marked(display.warning, "does not protect from \($0)") }
    }

    var json: JSONValue {
        .answer(
            ("seal", JSONValue(seal?.rawValue)), ("configured", .string(configured.rawValue)),
            ("system_key", JSONValue(report?.systemKey?.rawValue)),
            ("security_keys", report?.securityKeys.map { JSONValue.number($0) } ?? .null),
            ("locked", report.map { JSONValue.bool($0.state != .unlocked) } ?? .null),
            ("store", .string(directory)), ("protects_from", .array((protection?.covers ?? []).map(JSONValue.string))),
            ("does_not_protect_from", .array((protection?.lacks ?? []).map(JSONValue.string))))
    }
}

/// The texts about the place of a store's key: the attacks that it protects from, and those that it does not.
struct ProtectionWords {
    let keyLocation: String
    let covers: [String]
    let lacks: [String]

    init(_ protection: StoreProtection) {
        let programs = "programs that run as you"
        let offline = ["a copied store, a backup and a stolen disk"]
        let elsewhere = ["a copy of the store on another machine", "a backup of your files"]
        let root = "root on this machine"
        let disk = "a stolen disk or a backup of the whole machine, because root's files have the host key"
        switch protection {
        case .passphrase:
            keyLocation = "a passphrase that only you know"
            covers = offline
            lacks = ["\(programs) while the store is unlocked", "a passphrase that can be guessed"]
        case .keyring:
            keyLocation = "a key in your login keyring"
            covers = ["a copy of the store without the keyring"]
            lacks = ["\(programs) while the keyring is unlocked", "anyone with the keyring's file and its password"]
        case .tpm(let hasHostKey):
            keyLocation = "sealed by systemd to this machine, with its TPM" + (hasHostKey ? " and a host key" : "")
            covers = elsewhere
            lacks = [programs, root, "anyone who starts this machine and becomes you or root"]
        case .hostKey:
            keyLocation = "sealed by systemd to this machine, with a host key and no TPM"
            covers = elsewhere
            lacks = [programs, root, disk]
        case .unknownMachineKey:
            keyLocation = "sealed by systemd to this machine, with a key of a kind that this version does not know"
            covers = elsewhere
            lacks = [programs, root, "perhaps " + disk]
        case .securityKeys(let count):
            keyLocation = count == 1 ? "opened by your security key" : "opened by any of your \(count) security keys"
            covers = offline
            lacks = [
                "\(programs) while the store is unlocked", "anyone with the key and its PIN",
                count == 1 ? "the loss of the key: add a spare with yett seal --add-key" : "the loss of all of them: then sign in again",
            ]
        case .keyFile:
            keyLocation = "a key in a file next to the store"
            covers = ["a copy of the store without the key file"]
            lacks = [programs, "anyone who can read your files: root, a backup, a stolen disk"]
        case .memory:
            keyLocation = "nothing is saved; sessions end with the process"
            covers = offline
            lacks = [programs]
        }
    }
}
