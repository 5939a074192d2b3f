package import AuthModel
internal import OAuth
internal import TOML

/// Reads a configuration text into a ``Configuration``.
///
/// Strict: an unknown key, a wrong type or an unsafe value is an error that names the line and the nearest known word, so that a misspelt
/// setting never falls back to its default unnoticed.
package struct ConfigurationReader {
    /// The file name that messages use.
    package var name: String
    /// The folder of the file; relative paths in the file start there.
    package var directory: String
    /// The folder that `~/` stands for; `nil` if there is no home.
    package var home: String?
    /// The program's kinds, languages and keys.
    package var rules: ConfigurationRules

    /// The administrator's files, most preferred first.
    package var system: [SystemConfiguration]
    /// Whether the text replaces the system files, except for the keys that they lock.
    package var replacesSystem: Bool
    /// Whether the text may be a system file, which may have `[policy]`.
    package var allowsPolicy: Bool

    package init(
        name: String, directory: String, home: String?, rules: ConfigurationRules, system: [SystemConfiguration] = [],
        replacesSystem: Bool = false, allowsPolicy: Bool = false
    ) {
        self.name = name
        self.directory = directory
        self.home = home
        self.rules = rules
        self.system = system
        self.replacesSystem = replacesSystem
        self.allowsPolicy = allowsPolicy
    }

    /// The tables that a user's file may have.
    static let userTables = ["ui", "keys", "store", "agent", "providers"]
    /// The keys outside of tables that a user's file may have.
    static let userKeys = ["client_document"]
    /// The keys of the tables with fixed keys.
    static let keys = [
        "ui": ["theme", "guest_prompt", "mouse", "motion", "language"], "store": ["seal"],
        "agent": ["lock_after", "idle_exit", "hook", "notify", "forward", "oidc_agent_socket", "blocked_programs"],
    ]

    /// Reads a text. Throws `.configuration`.
    package func read(_ text: String) throws(AuthFailure) -> Configuration { try load(text).configuration }

    /// Reads a text over the system files. Throws `.configuration`.
    package func load(_ text: String) throws(AuthFailure) -> LoadedConfiguration {
        try load(ConfigurationDocument(text, name: name))
    }

    /// Reads the locks of the system files. Throws `.configuration`.
    func locks() throws(AuthFailure) -> [LockedKey] {
        var locks: [LockedKey] = []
        for file in system {
            locks += try PolicyReader(document: ConfigurationDocument(file.text, name: file.path), rules: rules).read()
        }
        return locks
    }

    /// Reads a document over the system files. Throws `.configuration`.
    func load(_ own: ConfigurationDocument) throws(AuthFailure) -> LoadedConfiguration {
        if own.root["policy"] != nil {
            guard allowsPolicy else {
                throw AuthFailure(in: own.location(of: ["policy"]), "config.policy_in_user_file", hint: "hint.policy_needs_system_file")
            }
            _ = try PolicyReader(document: own, rules: rules).read()
        }
        guard !system.isEmpty else { return LoadedConfiguration(try read(own), from: own) }
        var documents: [ConfigurationDocument] = []
        var locks: [LockedKey] = []
        for file in system {
            let document = try ConfigurationDocument(file.text, name: file.path)
            locks += try PolicyReader(document: document, rules: rules).read()
            documents.append(document)
        }
        let providers = Set(documents.flatMap { $0.root["providers"]?.members?.map(\.name) ?? [] }).sorted()
        let keyLocks = KeyLocks(locks: locks, providers: providers)
        let (kept, ignored) = keyLocks.apply(to: own)
        let merged = kept.over(replacesSystem ? documents.map { keyLocks.excerpt(of: $0, for: own.root) } : documents)
        var loaded = LoadedConfiguration(try read(merged), from: merged)
        loaded.systemFiles = system.map(\.path)
        loaded.locked = locks
        loaded.ignored = ignored
        return loaded
    }

    private func read(_ document: ConfigurationDocument) throws(AuthFailure) -> Configuration {
        let root = try ConfigurationSection(document.root, at: [], of: document)
        try root.refuseKeys(otherThan: Self.userTables + Self.userKeys + ["policy"], listing: Self.userTables)
        var configuration = Configuration()
        if let text = try root.text("client_document") {
            guard let url = ClientIDDocument.url(text) else {
                throw root.error(
                    UserMessage("config.refused", ["key": "client_document"]), at: "client_document", hint: "hint.client_document_form")
            }
            configuration.clientDocument = url
        }
        if let section = try root.table("ui") { configuration.interface = try interface(section) }
        if let section = try root.table("keys") { configuration.keys = try KeysReader(section: section, rules: rules.keys).read() }
        if let section = try root.table("store") { configuration.seal = try seal(section) }
        if let section = try root.table("agent") { configuration.agent = try agent(section) }
        if let section = try root.table("providers") { configuration.providers = try providers(section) }
        return configuration
    }

    private func interface(_ section: ConfigurationSection) throws(AuthFailure) -> Configuration.Interface {
        try section.refuseKeys(otherThan: Self.keys["ui"] ?? [])
        var interface = Configuration.Interface()
        if let theme = try section.text("theme") {
            guard ThemeName.isValid(theme) else {
                throw section.error(UserMessage("config.invalid_theme_name", ["theme": theme]), at: "theme", hint: "hint.list_themes")
            }
            interface.theme = theme
            interface.isThemeSet = true
        }
        if let language = try section.text("language"), language != "auto" {
            guard rules.languages.contains(language) else {
                throw section.error(
                    UserMessage("config.unsupported_language", ["language": language]), at: "language",
                    hint: UserMessage("hint.use_one_of", ["choices": (["auto"] + rules.languages).joined(separator: ", ")]))
            }
            interface.language = language
        }
        interface.motion = try section.word("motion", as: Configuration.Motion.self)
        interface.mouse = try section.flag("mouse") ?? interface.mouse
        interface.guestPrompt = try section.flag("guest_prompt") ?? interface.guestPrompt
        return interface
    }

    private func seal(_ section: ConfigurationSection) throws(AuthFailure) -> Configuration.Seal {
        try section.refuseKeys(otherThan: Self.keys["store"] ?? [])
        return try section.word("seal", as: Configuration.Seal.self) ?? .auto
    }

    private func agent(_ section: ConfigurationSection) throws(AuthFailure) -> Configuration.Agent {
        try section.refuseKeys(otherThan: Self.keys["agent"] ?? [])
        let year: ClosedRange<Int64> = 1...31_536_000
        var agent = Configuration.Agent()
        agent.lockAfter = try section.wholeNumber("lock_after", within: year).map { .seconds($0) }
        agent.idleExit = try section.wholeNumber("idle_exit", within: year).map { .seconds($0) }
        agent.hook = try section.textOrTexts("hook") ?? []
        if section["hook"] != nil, agent.hook.isEmpty {
            throw section.error("config.hook_without_command", at: "hook", hint: "hint.write_hook_as_list")
        }
        for text in try section.texts("forward") ?? [] {
            guard let pattern = SessionPattern(text) else {
                throw section.error(
                    UserMessage("config.invalid_session_pattern", ["pattern": text]), at: "forward", hint: "hint.session_pattern_forms")
            }
            agent.forward.append(pattern)
        }
        for path in try section.texts("blocked_programs") ?? [] {
            guard path.hasPrefix("/"), path.utf8.count <= 4096, path.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
            else {
                throw section.error("config.invalid_program_path", at: "blocked_programs", hint: "hint.program_path_form")
            }
            if !agent.blockedPrograms.contains(path) { agent.blockedPrograms.append(path) }
        }
        agent.servesOIDCAgent = try section.flag("oidc_agent_socket") ?? false
        agent.notifies = try section.flag("notify") ?? false
        return agent
    }

    private func providers(_ section: ConfigurationSection) throws(AuthFailure) -> [ProviderConfiguration] {
        var providers: [ProviderConfiguration] = []
        var known: [Client: ProviderName] = [:]
        for member in section.members.sorted(by: { line(of: $0.name, in: section) < line(of: $1.name, in: section) }) {
            let key = member.name
            guard let name = ProviderName(key) else {
                throw section.error(
                    UserMessage("config.invalid_provider_name", ["name": key]), at: key,
                    hint: "hint.provider_name_characters")
            }
            let own = try ConfigurationSection(member.value, at: ["providers", key], of: section.document)
            // A hidden provider needs no other key: its system file may be gone.
            if try own.flag("hidden") == true { continue }
            let provider = try ProviderReader(section: own, directory: directory, home: home, rules: rules).read(name)
            // RFC 9207 section 2.4: the issuer tells the responses of two providers apart. An exchange expects no response, and the same
            // client may request tokens for different resources.
            if let client = Client(provider) {
                if let twin = known[client] {
                    throw own.error(
                        UserMessage("config.same_issuer_and_client", ["provider": name, "other": twin]), at: "issuer",
                        hint: "hint.remove_one_provider")
                }
                known[client] = name
            }
            providers.append(provider)
        }
        return providers.sorted { $0.name < $1.name }
    }

    private func line(of key: String, in section: ConfigurationSection) -> Int {
        section.document.line(of: ["providers", key]) ?? .max
    }
}

/// The values that tell the responses of two providers apart.
private struct Client: Hashable {
    var issuer: Issuer
    var clientID: String
    var resources: [String]

    init?(_ provider: ProviderConfiguration) {
        guard let issuer = provider.issuer, provider.exchange == nil else { return nil }
        self.issuer = issuer
        clientID = provider.clientID
        resources = provider.resources
    }
}

/// The rule for theme names, which are also file names.
package enum ThemeName {
    package static func isValid(_ text: String) -> Bool { ProviderName(text) != nil }
}

/// The facts about the program that the reader needs: the provider kinds, the app's languages, and its keys.
package struct ConfigurationRules: Sendable {
    /// Returns how a kind is configured.
    package var kind: @Sendable (ProviderKind) -> any KindConfiguration
    /// The codes of the app's languages.
    package var languages: [String]
    /// The app's keys.
    package var keys: any KeyRules
    /// The shipped presets, read by these rules.
    let shippedPresets = ShippedPresets()

    /// Creates rules.
    package init(kind: @escaping @Sendable (ProviderKind) -> any KindConfiguration, languages: [String], keys: any KeyRules) {
        self.kind = kind
        self.languages = languages
        self.keys = keys
    }

    /// Returns the names of the keys that only this kind defines.
    package func ownKeys(of kind: ProviderKind) -> [String] { self.kind(kind).keys.map(\.name) }
}
