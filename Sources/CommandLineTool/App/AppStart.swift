internal import AuthEngine
package import AuthModel
public import CursesBackend
internal import Glibc
internal import Localization
internal import OperatingSystem
public import TerminalApp
internal import TerminalUI
internal import UserConfiguration

/// Creates and runs the terminal app: connects session service, themes, browser and clipboard.
enum AppStart {
    /// Runs the app until the user quits.
    ///
    /// - Parameters:
    ///   - demoUsers: in the demo, the users and their passwords, first the one for new sessions. The demo offers no further demo.
    ///   - session: the session to open first; `nil` for the usual first screen.
    static func run(
        in context: CommandContext, demoUsers: [(name: String, password: String)] = [], opening session: SessionName? = nil
    ) async throws(AuthFailure) {
        let file = try context.configurationFile()
        let configuration = try file.read()
        let service = try await context.service(creating: true, reports: false)
        var warnings: [String] = []
        do throws(AuthFailure) { try await service.unlockIfNoPassphraseNeeded() } catch { warnings.append(error.summary) }
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
        environment.offersDemo = demoUsers.isEmpty
        environment.opens = session
        let language = environment.settings.language
        let advice = demoUsers.map { user in
            (user.name, UserMessage("demo.credentials", ["user": user.name, "password": user.password]).text(in: language))
        }
        environment.demoAdvice = advice.first?.1
        environment.demoAdviceByAccount = Dictionary(advice) { first, _ in first }
        environment.settings.warnings = [environment.demoAdvice].compactMap { $0 } + warnings + environment.settings.warnings
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
        options.showsLinks = LinkSupport.isKnown(in: context.edges.environment)
        var launch = AppLaunch(service: service, environment: environment, options: options)
        if demoUsers.isEmpty {
            launch.demo = {
                try await DemoCommand.show(in: context)
                try await run(in: context)
            }
        }
        if context.canRunPlain {
            try await launch.asPlainPrompts(on: context)
        } else {
            try await context.edges.runApp(launch)
        }
    }

    private static func environment(
        _ settings: AppSettings, configuration: Configuration, clipboard: Clipboard
    ) -> TerminalAppEnvironment {
        let context = settings.context
        let file = settings.file
        var environment = TerminalAppEnvironment(
            openBrowser: { url, name in
                // Read the configuration now, because the provider may have just been added.
                let provider = ((try? file.read()) ?? configuration).provider(name)
                return BrowserOutcome(await context.openBrowser(url, of: provider))
            },
            copy: { text in clipboard.copy(text.utf8) },
            copySecret: { secret in secret.withBytes { clipboard.copy($0, isSecret: true) } },
            saveSetting: { (change) throws(AuthFailure) in try await settings.save(change) },
            onboarding: AppOnboarding(context: context, file: file, service: settings.service).edge,
            readSettings: { () throws(AuthFailure) in try await settings.read() },
            time: context.edges.time, settings: settings.settings(configuration))
        environment.clearSecret = { clipboard.clearSecret() }
        environment.usesAgent = !(settings.service is Engine)
        environment.bridges = { RunningBridges(context: context).all() }
        environment.settingsChanges = { settings.changes() }
        environment.openConsole = { (credentials, name) throws(AuthFailure) in
            let provider = try file.read().named(name.text)
            let visit = try await ConsoleVisit(with: try RoleCredentials(credentials), at: provider, in: context)
            guard await context.openBrowser(visit.address, of: provider).hasStarted else {
                await visit.close()
                throw AuthFailure(
                    .usage, "console.not_opened", hint: UserMessage("hint.open_console_address", ["provider": provider.name]))
            }
            guard await visit.wait() else {
                throw AuthFailure(.timedOut, "console.not_opened_in_time", hint: "hint.try_again")
            }
        }
        return environment
    }
}

extension BrowserOutcome {
    fileprivate init(_ launch: BrowserLaunch) {
        self =
            switch launch {
            case .started: .opened
            case .failed(let reason): .failed(reason: reason)
            case .none: .noBrowser
            }
    }
}

/// The terminal app with everything that it needs to run.
public struct AppLaunch: Sendable {
    /// The session service that the app uses.
    package var service: any SessionService
    /// The app's environment.
    public var environment: TerminalAppEnvironment
    /// The terminal options.
    public var options: CursesOptions
    /// Runs the demo, then the app again; `nil` if the app offers no demo.
    var demo: (@Sendable () async throws -> Void)?

    /// Runs the app on the process's terminal. Throws `.configuration` if the terminal cannot show it.
    static func onTerminal(_ launch: AppLaunch) async throws(AuthFailure) {
        let leaving: TerminalApp.RemainingWork
        do {
            leaving = try await CursesTerminal.run(launch.options) { terminal in
                TerminalApp.run(on: &terminal, service: launch.service, environment: launch.environment)
            }
        } catch let failure as CursesFailure {
            throw AuthFailure(.configuration, text: failure.summary, hint: failure.hint)
        } catch {
            throw AuthFailure(
                .bug, text: "the app ended with an unexpected error", hint: "try yett --plain, which does not use the full screen")
        }
        try await launch.end(leaving)
    }

    private func end(_ leaving: TerminalApp.RemainingWork) async throws(AuthFailure) {
        await leaving.finish()
        guard leaving.wantsDemo, let demo else { return }
        do {
            try await demo()
        } catch let failure as AuthFailure {
            throw failure
        } catch {
            throw AuthFailure(
                .bug, text: "the demo ended with an unexpected error", hint: "to run only the test providers, use: yett sandbox")
        }
    }

    /// Runs the app as plain prompts. Its output goes to standard error, because it is not a command's result.
    func asPlainPrompts(on context: CommandContext) async throws(AuthFailure) {
        let (streams, console) = (context.edges.streams, context.console)
        let plain = PlainStreams(
            say: { lines in for line in lines { console.note(line) } }, ask: { console.ask($0) }, line: streams.line,
            hiddenLine: { ask in await streams.hiddenLine(ask) },
            interruptions: {
                let (stream, continuation) = AsyncStream.makeStream(of: PlainStreams.Interruption.self)
                let task = Task {
                    for await interruption in context.edges.interruptions() {
                        continuation.yield(interruption == .interrupt ? .interrupt : .end)
                    }
                    continuation.finish()
                }
                continuation.onTermination = { _ in task.cancel() }
                return stream
            }, columns: streams.columns)
        try await end(await TerminalApp.runPlain(on: plain, service: service, environment: environment))
    }
}

extension CommandContext {
    /// Returns the report to write into the state folder if the app crashes; `nil` if that folder cannot be created.
    func crashReport() -> CursesOptions.CrashReport? {
        guard let folder = try? directories.state, (try? PrivateFile.makeDirectory(folder, isPrivate: true)) != nil else { return nil }
        let began = "\(now)"
        return CursesOptions.CrashReport(
            path: "\(folder)/crash-\(began.replacing(":", with: ""))-\(getpid()).txt",
            text: """
                yett \(Program.version) crashed.

                Your sessions are not lost: the store is always written completely or not at all.
                Start yett again, and run yett doctor to check this machine. If the crash happens again, please report it and attach
                this file. The file contains no tokens, passphrases or URLs.

                began: \(began)
                system: \(Self.system)

                """)
    }

    /// The kernel and the architecture, such as `Linux 6.1 x86_64`.
    private static var system: String {
        var name = utsname()
        guard uname(&name) == 0 else { return "unknown" }
        func text(_ field: some Any) -> String {
            withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
        return [text(name.sysname), text(name.release), text(name.machine)].joined(separator: " ")
    }
}
