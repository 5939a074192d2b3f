internal import AuthModel
internal import CursesBackend
internal import FrontDoor
internal import TerminalUI

/// Puts the terminal app together from the edges: keeper, themes, browser, clipboard.
enum AppStart {
    /// - Parameter advice: what the person should know from the start, one line each.
    static func run(in context: CommandContext, advice: [String] = []) async throws(AuthFailure) {
        let file = try context.configurationFile()
        let configuration = try file.read()
        let keeper = try await context.keeper(creating: true)
        var advice = advice
        do throws(AuthFailure) { try await keeper.openUnasked() } catch { advice.append(error.summary) }
        try await PassphrasePrompt(context: context).unlockFromFile(keeper)
        let library = context.themeLibrary()
        var warnings = advice + library.warnings
        let wanted = configuration.interface.theme
        if library.theme(wanted) == nil { warnings.append("there is no theme '\(wanted)'") }
        let clipboard = Clipboard()
        let noColour = !(context.edges.environment["NO_COLOR"] ?? "").isEmpty
        try await context.edges.runApp(
            AppLaunch(
                keeper: keeper,
                environment: environment(context, configuration: configuration, file: file, clipboard: clipboard, warnings: warnings),
                themes: library.themes, theme: wanted,
                options: CursesOptions(
                    term: context.edges.environment["TERM"], colorLimit: noColour ? .mono : .trueColor, clipboard: clipboard)))
    }

    private static func environment(
        _ context: CommandContext, configuration: Configuration, file: ConfigurationFile, clipboard: Clipboard, warnings: [String]
    ) -> FrontDoorEnvironment {
        FrontDoorEnvironment(
            openBrowser: { url, name in
                let provider = configuration.provider(name)
                let wish = BrowserWish(url: url, command: provider?.browser, isPrivate: provider?.isPrivate ?? false)
                return await context.edges.openBrowser(wish).outcome
            },
            copy: { text in clipboard.copy(text.utf8) },
            copySecret: { secret in secret.withBytes { clipboard.copy($0) } },
            saveTheme: { (name) throws(AuthFailure) in try file.save(theme: name) },
            time: context.edges.time, asksGuests: configuration.interface.guestPrompt, warnings: warnings)
    }
}
