internal import AuthEngine
internal import AuthModel
internal import Localization
internal import ProviderKinds
internal import TerminalApp
internal import TerminalUI
internal import TOML
internal import UserConfiguration

/// The settings that the app reads from the configuration and the themes, at the start and whenever they change.
struct AppSettings {
    let context: CommandContext
    let file: ConfigurationFile
    let service: any SessionService
    /// Whether the terminal's background is light; the default theme depends on it.
    var isOnLightBackground = false

    /// Reads all files again. Updates the providers of an engine in this process; an agent reads the file by itself.
    func read() async throws(AuthFailure) -> TerminalAppSettings {
        let configuration = try file.read()
        if let engine = service as? Engine { engine.configure(configuration.providers) }
        return settings(configuration)
    }

    func settings(_ configuration: Configuration) -> TerminalAppSettings {
        let configuration = configuration.withDefaultTheme(onLightBackground: isOnLightBackground)
        let library = context.themeLibrary()
        let wanted = configuration.interface.theme
        return TerminalAppSettings(
            themes: library.themes, theme: wanted, asksGuests: configuration.interface.guestPrompt,
            language: configuration.interface.language.flatMap(Language.init(rawValue:)) ?? .preferred(in: context.edges.environment),
            keys: KeyChanges(configuration.keys), usesMouse: configuration.interface.mouse,
            localTime: LocalTime(around: context.edges.time.now, rule: ProcessTimeZone.offset), motion: motion(configuration),
            sheet: sheet(configuration, themes: library.themes.map(\.name)),
            warnings: library.warnings.map(abbreviatingHome) + (isMissing(wanted, library) ? ["unknown theme '\(wanted)'"] : []))
    }

    /// Returns the configured motion. Without one, a terminal that may be slow, or a user who wants no colours, gets less.
    private func motion(_ configuration: Configuration) -> Motion {
        if let motion = configuration.interface.motion { return Motion(rawValue: motion.rawValue) ?? .full }
        let isSet = { (name: String) in !(context.edges.environment[name] ?? "").isEmpty }
        return isSet("NO_COLOR") || isSet("SSH_CONNECTION") ? .reduced : .full
    }

    /// Returns whether the theme is missing and no warning about its file exists.
    private func isMissing(_ theme: String, _ library: ThemeLibrary) -> Bool {
        library.theme(theme) == nil && !library.warnings.contains { $0.contains("/\(theme).toml:") }
    }

    /// Replaces the home folder at the start of a text with `~`.
    private func abbreviatingHome(_ text: String) -> String {
        guard let home = context.directories.home, text.hasPrefix(home + "/") else { return text }
        return "~" + text.dropFirst(home.count)
    }

    private func sheet(_ configuration: Configuration, themes: [String]) -> SettingsSheet {
        var configuration = configuration
        // The default depends on the terminal.
        configuration.interface.motion = .init(rawValue: motion(configuration).rawValue)
        return SettingsSheet(file: abbreviatingHome(file.path), settings: configuration.settings(themes: themes, root: file.root))
    }

    /// Writes one setting. Throws if the new `seal` cannot open the existing store, because no user could sign in any more.
    func save(_ change: SettingChange) async throws(AuthFailure) {
        if change.id == .seal, case .word(let word) = change.value, let seal = Configuration.Seal(rawValue: word) {
            _ = try await context.store(seal, creating: false)
        }
        try file.save(change)
    }

    /// Returns the stream of changes to the configuration and theme files.
    func changes() -> AsyncStream<Void> {
        let folder = String(file.path[..<(file.path.lastIndex(of: "/") ?? file.path.startIndex)])
        let themes = (try? context.directories.configuration).map { ["\($0)/themes"] } ?? []
        let system = file.systemFolders.flatMap { [$0, "\($0)/themes"] }
        return FolderWatch(folders: [folder] + themes + system).changes()
    }
}

extension Setting.ID {
    /// The path of the table, and the key, that hold the setting in the file.
    var tableAndKey: (table: [String], key: String) {
        switch self {
        case .theme: (["ui"], "theme")
        case .language: (["ui"], "language")
        case .guestPrompt: (["ui"], "guest_prompt")
        case .mouse: (["ui"], "mouse")
        case .motion: (["ui"], "motion")
        case .seal: (["store"], "seal")
        case .lockAfter: (["agent"], "lock_after")
        case .idleExit: (["agent"], "idle_exit")
        case .notify: (["agent"], "notify")
        case .blockedProgram: (["agent"], "blocked_programs")
        case .browser(let provider): (["providers", provider.text], "browser")
        case .isPrivate(let provider): (["providers", provider.text], "private")
        case .policy(let provider): (["providers", provider.text], "policy")
        }
    }
}

extension Setting.Value {
    /// The value as TOML; `nil` if the value is expressed by omitting the key.
    var toml: String? {
        switch self {
        case .flag(let isOn): isOn ? "true" : "false"
        case .word(let text): TOMLText.quoted(text)
        case .text(let text): text.isEmpty ? nil : TOMLText.quoted(text)
        case .span(let seconds): seconds.map { "\($0)" }
        }
    }
}

extension SettingChange {
    /// The new value of the setting's key as TOML; `nil` to remove the key.
    fileprivate func toml(in configuration: Configuration) -> String? {
        guard case .blockedProgram(let path) = id else { return value?.toml }
        var paths = configuration.agent.blockedPrograms.filter { $0 != path }
        if value == .flag(true) { paths.append(path) }
        return paths.isEmpty ? nil : "[\(paths.map(TOMLText.quoted).joined(separator: ", "))]"
    }
}

extension Configuration {
    /// Returns the settings of the app's settings screen, each with its options.
    ///
    /// - Parameter root: the values in the file, to tell whether a setting is set or has its default.
    func settings(themes: [String], root: TOMLValue) -> [Setting] {
        let fixed: [(Setting.ID, [String])] = [
            (.theme, themes), (.language, ["auto"] + Language.allCases.map(\.rawValue)), (.guestPrompt, []),
            (.mouse, []), (.motion, Motion.allCases.map(\.rawValue)),
            (.seal, Seal.allCases.map(\.rawValue)), (.lockAfter, []), (.idleExit, []), (.notify, []),
        ]
        let ofProviders: [(Setting.ID, [String])] = providers.flatMap { provider in
            [
                (.policy(provider.name), TokenPolicy.allCases.map(\.rawValue)), (.browser(provider.name), []),
                (.isPrivate(provider.name), []),
            ]
        }
        let blocked: [(Setting.ID, [String])] = agent.blockedPrograms.map { (.blockedProgram($0), []) }
        return (fixed + blocked + ofProviders).map { id, options in
            let (table, key) = id.tableAndKey
            return Setting(id, value(of: id), options: options, isSet: root[path: table + [key]] != nil)
        }
    }

    func value(of id: Setting.ID) -> Setting.Value {
        switch id {
        case .theme: .word(interface.theme)
        case .language: .word(interface.language ?? "auto")
        case .guestPrompt: .flag(interface.guestPrompt)
        case .mouse: .flag(interface.mouse)
        case .motion: .word((interface.motion ?? .full).rawValue)
        case .seal: .word(seal.rawValue)
        case .lockAfter: .span(agent.lockAfter?.components.seconds)
        case .idleExit: .span(agent.idleExit?.components.seconds)
        case .notify: .flag(agent.notifies)
        case .blockedProgram(let path): .flag(agent.blockedPrograms.contains(path))
        case .browser(let name): .text(provider(name)?.browser ?? "")
        case .isPrivate(let name): .flag(provider(name)?.isPrivate ?? false)
        case .policy(let name): .word((provider(name)?.policy ?? .allow).rawValue)
        }
    }

    /// Returns this configuration with one setting copied from `other`.
    func copying(_ id: Setting.ID, from other: Configuration) -> Configuration {
        var changed = self
        func change(_ name: ProviderName, _ change: (inout ProviderConfiguration, ProviderConfiguration) -> Void) {
            guard let index = changed.providers.firstIndex(where: { $0.name == name }), let provider = other.provider(name) else { return }
            change(&changed.providers[index], provider)
        }
        switch id {
        case .theme:
            changed.interface.theme = other.interface.theme
            changed.interface.isThemeSet = other.interface.isThemeSet
        case .language: changed.interface.language = other.interface.language
        case .guestPrompt: changed.interface.guestPrompt = other.interface.guestPrompt
        case .mouse: changed.interface.mouse = other.interface.mouse
        case .motion: changed.interface.motion = other.interface.motion
        case .seal: changed.seal = other.seal
        case .lockAfter: changed.agent.lockAfter = other.agent.lockAfter
        case .idleExit: changed.agent.idleExit = other.agent.idleExit
        case .notify: changed.agent.notifies = other.agent.notifies
        case .blockedProgram(let path):
            changed.agent.blockedPrograms.removeAll { $0 == path }
            if other.agent.blockedPrograms.contains(path) { changed.agent.blockedPrograms.append(path) }
        case .browser(let name): change(name) { $0.browser = $1.browser }
        case .isPrivate(let name): change(name) { $0.isPrivate = $1.isPrivate }
        case .policy(let name): change(name) { $0.policy = $1.policy }
        }
        return changed
    }
}

extension ConfigurationFile {
    /// Writes one setting. Comments, order and blank lines stay unchanged.
    ///
    /// Throws `.configuration` if the reader rejects the value, or if the file's layout cannot be edited by the program. The file is then
    /// unchanged.
    func save(_ change: SettingChange) throws(AuthFailure) {
        let (table, key) = change.id.tableAndKey
        var before = Configuration()
        try self.change { (editor, current) throws(AuthFailure) in
            before = current
            do throws(TOMLError) {
                if let value = change.toml(in: current) {
                    try editor.set(key, in: table, to: value)
                } else {
                    try editor.remove(key, in: table)
                }
            } catch {
                throw AuthFailure(error, in: path)
            }
        } isIntended: { changed in
            changed == before.copying(change.id, from: changed) && change.value.map { $0 == changed.value(of: change.id) } ?? true
        }
    }
}

extension ConfigurationRules {
    /// The rules of this program: all kinds, and the languages and keys of the terminal app.
    static let standard = ConfigurationRules(
        kind: { $0.definition }, languages: Language.allCases.map(\.rawValue), keys: AppKeyRules())
}

/// The terminal app's keys.
private struct AppKeyRules: KeyRules {
    private static let reference = KeyReference()

    var screens: [String] { Self.reference.screens }

    func actions(on screen: String) -> [String] { Self.reference.actions(on: screen) }

    func isKey(_ name: String) -> Bool { Key(name: name) != nil }

    func problem(for action: String, on screen: String, in changes: KeyAssignments) -> String? {
        let changes = KeyChanges(changes)
        return Self.reference.problem(with: changes[screen, action] ?? [], for: action, on: screen, in: changes)
    }
}

extension KeyChanges {
    /// Creates the changes that the configuration names.
    init(_ assignments: KeyAssignments) {
        self.init()
        for (screen, actions) in assignments.keys {
            for (action, names) in actions { self[screen, action] = names.compactMap { Key(name: $0) } }
        }
    }
}
