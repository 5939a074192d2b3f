internal import AuthEngine
internal import AuthModel
internal import CursesBackend
internal import Localization
internal import OperatingSystem
internal import TerminalApp
internal import TerminalAppModel
internal import TerminalUI
internal import UserConfiguration

/// Creates and runs the terminal app: connects session service, themes, browser and clipboard.
enum AppStart {
    /// Runs the app until the user quits.
    ///
    /// - Parameters:
    ///   - demoAdvice: in the demo, the credentials to sign in with. The demo offers no further demo.
    ///   - session: the session to open first; `nil` for the usual first screen.
    static func run(in context: CommandContext, demoAdvice: String? = nil, opening session: SessionName? = nil) async throws(AuthFailure) {
        let file = try context.configurationFile()
        let configuration = try file.read()
        let service = try await context.service(creating: true, reports: false)
        var advice = demoAdvice.map { [$0] } ?? []
        do throws(AuthFailure) { try await service.unlockIfNoPassphraseNeeded() } catch { advice.append(error.summary) }
        try await PassphrasePrompt(context: context).unlockFromFile(service)
        let noColour = !(context.edges.environment["NO_COLOR"] ?? "").isEmpty
        // Asking takes time, so only where the answer has an effect.
        let asks = !configuration.interface.isThemeSet && !noColour && !context.canRunPlain
        let background = asks ? context.edges.terminalBackground(context.edges.environment) : nil
        let settings = AppSettings(context: context, file: file, service: service, isOnLightBackground: background?.isLight ?? false)
        let clipboard = Clipboard()
        let notices = TerminalNotices(term: context.edges.environment["TERM"] ?? "", environment: context.edges.environment)
        var environment = environment(settings, configuration: configuration, clipboard: clipboard)
        environment.notify = { notices.notify($0) }
        environment.settings.warnings = advice + environment.settings.warnings
        environment.offersDemo = demoAdvice == nil
        environment.opens = session
        environment.demoAdvice = demoAdvice
        let term = context.edges.environment["TERM"].map { TerminalType($0)?.name ?? $0 }
        if let own = context.edges.environment["TERM"], let term, term != own {
            let name = SafeText.line(own, limit: 40)
            environment.settings.warnings.insert("no description of \(name) here; using \(term)", at: 0)
        }
        let description =
            noColour
            ? nil
            : DirectColors.description(
                term: term ?? "", environment: context.edges.environment, read: { try? RegularFile.read($0, limit: 1 << 16) })
        var options = CursesOptions(
            term: term, description: description, colorLimit: noColour ? .mono : .trueColor, clipboard: clipboard, notices: notices,
            crashReport: context.crashReport())
        options.typed = background?.typed ?? []
        var launch = AppLaunch(service: service, environment: environment, options: options)
        if demoAdvice == nil { launch.demo = { try await runDemo(in: context) } }
        if context.canRunPlain {
            try await launch.asPlainPrompts(on: context)
        } else {
            try await context.edges.runApp(launch)
        }
    }

    /// Runs the demo, then the app again.
    private static func runDemo(in context: CommandContext) async throws {
        try await DemoCommand.show(in: context)
        try await run(in: context)
    }

    private static func environment(
        _ settings: AppSettings, configuration: Configuration, clipboard: Clipboard
    ) -> TerminalAppEnvironment {
        let context = settings.context
        let file = settings.file
        return TerminalAppEnvironment(
            openBrowser: { url, name in
                // Read the configuration now, because the provider may have just been added.
                let provider = ((try? file.read()) ?? configuration).provider(name)
                let request = BrowserRequest(url: url, command: provider?.browser, isPrivate: provider?.isPrivate ?? false)
                return await context.edges.openBrowser(request).outcome
            },
            copy: { text in clipboard.copy(text.utf8) },
            copySecret: { secret in secret.withBytes { clipboard.copy($0, isSecret: true) } }, clearSecret: { clipboard.clearSecret() },
            saveTheme: { (name) throws(AuthFailure) in try file.save(theme: name) },
            saveSetting: { (change) throws(AuthFailure) in try await settings.save(change) },
            onboarding: AppOnboarding(context: context, file: file, service: settings.service).edge,
            usesAgent: !(settings.service is Engine),
            readSettings: { () throws(AuthFailure) in try await settings.read() },
            settingsChanges: { settings.changes() },
            time: context.edges.time, settings: settings.settings(configuration))
    }
}
