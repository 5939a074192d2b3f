internal import AuthEngine
internal import AuthModel
internal import TerminalApp
internal import TerminalUI

/// What the app is told of the configuration and the themes, at the start and whenever they change.
struct AppSettings {
    let context: CommandContext
    let file: ConfigurationFile
    let service: any SessionService

    /// Reads everything again. An engine in this process takes the providers; an agent looks at the file by itself.
    func read() async throws(AuthFailure) -> TerminalAppSettings {
        let configuration = try file.read()
        if let engine = service as? Engine { await engine.configure(configuration.providers) }
        return settings(configuration)
    }

    func settings(_ configuration: Configuration) -> TerminalAppSettings {
        let library = context.themeLibrary()
        let wanted = configuration.interface.theme
        return TerminalAppSettings(
            themes: library.themes, theme: wanted, asksGuests: configuration.interface.guestPrompt,
            language: configuration.interface.language.flatMap(Language.init(rawValue:)) ?? .preferred(in: context.edges.environment),
            keys: configuration.keys, usesMouse: configuration.interface.mouse,
            sheet: sheet(configuration, themes: library.themes.map(\.name)),
            warnings: library.warnings.map(fromHome) + (isMissing(wanted, library) ? ["there is no theme '\(wanted)'"] : []))
    }

    /// Whether nothing was said yet of a theme that cannot be used.
    private func isMissing(_ theme: String, _ library: ThemeLibrary) -> Bool {
        library.theme(theme) == nil && !library.warnings.contains { $0.contains("/\(theme).toml:") }
    }

    /// A text that begins with a path, with the home as people write it.
    private func fromHome(_ text: String) -> String {
        guard let home = context.directories.home, text.hasPrefix(home + "/") else { return text }
        return "~" + text.dropFirst(home.count)
    }

    private func sheet(_ configuration: Configuration, themes: [String]) -> SettingsSheet {
        SettingsSheet(file: fromHome(file.path), settings: configuration.settings(themes: themes, root: file.root))
    }

    /// Writes one setting. A seal that the store there is does not open with is refused: nobody could sign in any more.
    func save(_ change: SettingChange) async throws(AuthFailure) {
        if change.id == .seal, case .word(let word) = change.value, let seal = Configuration.Seal(rawValue: word) {
            _ = try await context.store(seal, creating: false)
        }
        try file.save(change)
    }

    /// Tells when one of the files was changed.
    func changes() -> AsyncStream<Void> {
        let folder = String(file.path[..<(file.path.lastIndex(of: "/") ?? file.path.startIndex)])
        let themes = (try? context.directories.configuration).map { ["\($0)/themes"] } ?? []
        return FolderWatch(folders: [folder] + themes).changes()
    }
}
