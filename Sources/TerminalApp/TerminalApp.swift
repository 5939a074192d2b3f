public import AuthModel
package import TerminalUI

/// The terminal app.
public enum TerminalApp {
    /// Runs the app until the user quits. Blocks the calling thread, which must own `terminal`.
    ///
    /// - Parameter service: the session service, in this process or behind a socket.
    /// - Returns: the remaining work after the terminal is restored; await its ``RemainingWork/finish()``.
    package static func run(on terminal: inout some Terminal, service: any SessionService, environment: TerminalAppEnvironment)
        -> RemainingWork
    {
        let performer = EffectRunner(service: service, environment: environment)
        var program = program(performer: performer, size: terminal.size, glyphs: terminal.glyphs)
        let time = environment.time
        let last = program.run(on: &terminal) { reading(of: time) }
        return RemainingWork(performer: performer, wantsDemo: last.wantsDemo)
    }

    /// Runs the app as plain prompts: every flow, with the same texts, line by line.
    ///
    /// - Returns: the remaining work; await its ``RemainingWork/finish()``.
    package static func runPlain(on streams: PlainStreams, service: any SessionService, environment: TerminalAppEnvironment) async
        -> RemainingWork
    {
        let performer = EffectRunner(service: service, environment: environment)
        let program = program(performer: performer, size: PlainPage.size(columns: streams.columns()), glyphs: .ascii, isPlain: true)
        var run = PlainRun(program, streams: streams, time: environment.time)
        let last = await run.run()
        return RemainingWork(performer: performer, wantsDemo: last.wantsDemo)
    }

    /// Creates the app's program, for a caller that drives it.
    static func program(performer: EffectRunner, size: Size, glyphs: GlyphSet, isPlain: Bool = false) -> Program<TerminalAppRoot> {
        let environment = performer.environment
        var state = AppState(environment.settings, now: environment.time.now, presets: environment.onboarding?.presets)
        state.model.usesAgent = environment.usesAgent
        state.model.offersDemo = environment.offersDemo
        state.model.demoAdvice = environment.demoAdvice
        state.opensFirst = environment.opens
        state.model.glyphs = glyphs
        state.model.isPlain = isPlain
        return Program(
            TerminalAppRoot.self, state: state, size: size, glyphs: glyphs, now: reading(of: environment.time), performer: performer)
    }

    private static func reading(of time: any TimeSource) -> ClockReading {
        ClockReading(civilMilliseconds: time.now.milliseconds, steady: time.bootTime)
    }

    /// The work that remains after the screen is closed.
    public struct RemainingWork: Sendable {
        let performer: EffectRunner
        /// Whether the user quit to start the demo.
        public let wantsDemo: Bool

        /// Closes the ports of sign-ins in progress, and waits for renewals and sign-outs: interrupting one could lose a session.
        public func finish() async { await performer.close() }
    }
}

/// The terminal app's external dependencies, except its session service, as closures: tests pass their own.
public struct TerminalAppEnvironment: Sendable {
    /// Opens a URL in the user's browser, as the provider's configuration says. Must not wait for the browser to end.
    public var openBrowser: @Sendable (WebURL, ProviderName) async -> BrowserOutcome
    /// Opens a provider's web console in the user's browser with credentials of a role, as the session service issued them. Returns when the
    /// browser has left this machine.
    public var openConsole: @Sendable (Secret, ProviderName) async throws(AuthFailure) -> Void = { _, name throws(AuthFailure) in
        throw AuthFailure(.configuration, UserMessage("role.not_supported", ["provider": name]))
    }
    /// Copies text to the user's clipboard; false if no clipboard is reachable.
    public var copy: @Sendable (String) async -> Bool
    /// Copies a token to the user's clipboard; false if no clipboard is reachable. A token that is still there when the app ends is
    /// cleared.
    public var copySecret: @Sendable (Secret) async -> Bool
    /// Clears the clipboard if the last text copied from here is a token; otherwise does nothing and returns false.
    public var clearSecret: @Sendable () async -> Bool = { false }
    /// Shows a notice on the user's desktop; does nothing where the terminal shows none.
    public var notify: @Sendable (String) -> Void = { _ in }
    /// Writes one setting to the configuration; throws `.configuration` if it cannot be written, or is invalid.
    public var saveSetting: @Sendable (SettingChange) async throws(AuthFailure) -> Void
    /// Adds providers; nil if the app cannot add any.
    public var onboarding: ProviderOnboarding?
    /// Whether the session service is an agent's; otherwise this process keeps the sessions.
    public var usesAgent = false
    /// Whether the caller of the app starts the demo when ``TerminalApp/RemainingWork/wantsDemo`` is true.
    public var offersDemo = false
    /// The session to open first; nil for the usual first screen.
    public var opens: SessionName?
    /// In the demo, one line that says which user to sign in as; nil elsewhere.
    public var demoAdvice: String?
    /// Returns the running bridges to MCP servers.
    public var bridges: @Sendable () async -> [RunningBridge] = { [] }
    /// Reads the settings again, and makes the session service reload the configured providers.
    public var readSettings: @Sendable () async throws(AuthFailure) -> TerminalAppSettings
    /// Returns a stream of changes to the settings or the providers outside the app.
    public var settingsChanges: @Sendable () -> AsyncStream<Void> = { AsyncStream { $0.finish() } }
    /// The clock.
    public var time: any TimeSource
    /// The initial settings.
    public var settings: TerminalAppSettings

    /// Creates an environment; what it does not name has a default.
    public init(
        openBrowser: @escaping @Sendable (WebURL, ProviderName) async -> BrowserOutcome,
        copy: @escaping @Sendable (String) async -> Bool,
        copySecret: @escaping @Sendable (Secret) async -> Bool,
        saveSetting: @escaping @Sendable (SettingChange) async throws(AuthFailure) -> Void,
        onboarding: ProviderOnboarding? = nil,
        readSettings: @escaping @Sendable () async throws(AuthFailure) -> TerminalAppSettings,
        time: any TimeSource,
        settings: TerminalAppSettings
    ) {
        self.openBrowser = openBrowser
        self.copy = copy
        self.copySecret = copySecret
        self.saveSetting = saveSetting
        self.onboarding = onboarding
        self.readSettings = readSettings
        self.time = time
        self.settings = settings
    }
}
