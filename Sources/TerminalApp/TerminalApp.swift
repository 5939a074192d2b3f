public import AuthModel
import Localization
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
        let last = program.run(on: &terminal) { ClockReading(time) }
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
    static func program(performer: EffectRunner, size: Size, glyphs: GlyphSet, isPlain: Bool = false) -> AppLoop<TerminalAppRoot> {
        let environment = performer.environment
        var state = AppState(environment.settings, now: environment.time.now, presets: environment.onboarding?.presets)
        state.model.usesAgent = environment.usesAgent
        state.model.offersDemo = environment.offersDemo
        state.model.demoAdvice = environment.demoAdvice
        state.model.demoAdviceByAccount = environment.demoAdviceByAccount
        state.opensFirst = environment.opens
        state.model.glyphs = glyphs
        state.model.isPlain = isPlain
        return AppLoop(
            TerminalAppRoot.self, state: state, size: size, glyphs: glyphs, now: ClockReading(environment.time), performer: performer)
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

extension ClockReading {
    /// Reads both clocks of a time source.
    init(_ time: any TimeSource) { self.init(civilMilliseconds: time.now.milliseconds, steady: time.bootTime) }
}

/// The terminal app's external dependencies, except its session service, as closures: tests pass their own.
public struct TerminalAppEnvironment: Sendable {
    /// Opens a URL in the user's browser, as the provider's configuration says. Must not wait for the browser to end.
    public var openBrowser: @Sendable (WebURL, ProviderName) async -> BrowserOutcome
    /// Opens a provider's web console in the user's browser with credentials of a role, as the session service issued them. Returns when
    /// the browser has left this machine.
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
    /// The same for the accounts of other users, by their labels.
    public var demoAdviceByAccount: [String: String] = [:]
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

/// The terminal app for the runtime. Every function is pure; ``EffectRunner`` performs the commands.
enum TerminalAppRoot: Application {
    typealias State = AppState

    static func message(for event: InputEvent, in state: AppState) -> Message? {
        switch event {
        case .key(let key): .keyPressed(key)
        case .paste(let text): .textPasted(text)
        case .mouse(let event): .mouseUsed(event)
        case .resized(let size): .resized(size)
        case .focused(let hasFocus): .focusChanged(hasFocus)
        case .colorsChanged(let isLight): .colorsChanged(isLight: isLight)
        case .resumed: nil
        case .terminated: .terminated
        }
    }

    static func start(_ state: AppState) -> [Command] { [.watch, .watchSettings, .load, .loadActivity] }

    static func note(_ reading: ClockReading, in state: inout AppState) {
        state.model.now = Timestamp(milliseconds: reading.civilMilliseconds)
    }

    static func update(_ state: inout AppState, _ message: Message) -> [Command] {
        Language.$current.withValue(state.model.language) {
            Words.$localTime.withValue(state.model.localTime) {
                Words.$names.withValue(state.model.spelledNames) { state.update(with: message) }
            }
        }
    }

    static func render(_ state: AppState, theme: Theme, into buffer: inout ScreenBuffer) {
        Language.$current.withValue(state.model.language) {
            Words.$localTime.withValue(state.model.localTime) {
                Words.$names.withValue(state.model.spelledNames) { draw(state, into: &buffer) }
            }
        }
    }

    /// Returns the meaning of a click at `point`: draws the screen again, and records the clickable areas.
    static func target(at point: Point, in state: AppState) -> ScreenTarget.Meaning? {
        var buffer = ScreenBuffer(size: state.model.size, glyphs: state.model.glyphs, recordsTargets: true)
        draw(state, into: &buffer)
        return buffer.target(at: point)
    }

    private static func draw(_ state: AppState, into buffer: inout ScreenBuffer) {
        let screen = state.current.screen
        let body = Frame.body(buffer.size)
        let traits = state.currentTraits
        if !state.model.isPlain, let content = traits.box,
            let box = FloatingBox(in: body, content, isPreview: traits.previewedTheme != nil)
        {
            (screen.backdrop ?? state.below.screen).render(in: state.model, area: body, into: &buffer)
            box.draw(screen, in: state.model, into: &buffer)
        } else {
            screen.render(in: state.model, area: body, into: &buffer)
            if let share = state.liftingGate { LoweredGate(share: share).draw(in: body, into: &buffer) }
        }
        // The path behind a gate may name a session.
        let titles = traits.loweredGate == nil ? state.trail : [screen.title(in: state.model)]
        Frame(
            titles: titles, status: screen.status(in: state.model), presence: Presence(model: state.model, glyphs: buffer.glyphs),
            notice: state.displayedNotice, strip: screen.strip(in: state.model, columns: buffer.size.columns - 2, glyphs: buffer.glyphs),
            hints: screen.keyHints(in: state.model), everywhere: state.globalHints, keepsFind: traits.selectedRow != nil
        ).draw(into: &buffer)
    }

    static func title(in state: AppState) -> String? { state.title }

    static func usesMouse(in state: AppState) -> Bool { state.model.usesMouse }

    static func theme(in state: AppState) -> Theme { state.displayedTheme }

    static func nextTick(in state: AppState) -> Duration? { state.nextTick }

    static func message(forTick reading: ClockReading, in state: AppState) -> Message? {
        .ticked(Timestamp(milliseconds: reading.civilMilliseconds))
    }

    static func directive(for command: Command) -> Directive {
        switch command {
        case .watch: .subscribe(id: "watch")
        case .followSignIn(let run): .subscribe(id: "sign-in \(run.number)")
        case .load: .perform(id: "load")
        case .loadActivity: .perform(id: "activity")
        case .reload: .perform(id: "reload")
        case .watchSettings: .subscribe(id: "settings")
        // A single timer: the next token restarts it. The app counts as idle while it waits.
        case .clearClipboard: .subscribe(id: "clipboard")
        case .loadSession(let name): .perform(id: "session \(name)")
        case .loadBridges: .perform(id: "bridges")
        case .loadTokens(let name): .perform(id: "tokens \(name)")
        case .loadRoles(let name, _): .perform(id: "roles \(name)")
        case .suspend: .suspend
        case .quit, .startDemo: .quit
        default: .perform(id: nil)
        }
    }
}
