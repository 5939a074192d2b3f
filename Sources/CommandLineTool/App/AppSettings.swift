internal import AuthEngine
internal import AuthModel
internal import Localization
internal import TerminalApp
internal import TerminalAppModel
internal import TerminalUI
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
        if let engine = service as? Engine { await engine.configure(configuration.providers) }
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
        SettingsSheet(file: abbreviatingHome(file.path), settings: configuration.settings(themes: themes, root: file.root))
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
