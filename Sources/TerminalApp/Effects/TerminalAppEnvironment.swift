public import AuthModel

/// What became of a URL that a browser was to open.
public enum BrowserOutcome: Equatable, Sendable {
    /// A browser was started; whether it shows the page nobody can know.
    case opened
    /// There is none here to start: no display, or `BROWSER` says so.
    case noBrowser
    /// A browser was tried and did not start. One line, lower case, no full stop.
    case failed(reason: String)
}

/// Everything outside that the terminal app reaches beside its session service, as closures: a test gives its own.
public struct TerminalAppEnvironment: Sendable {
    /// Opens a URL in the person's browser, the way the provider's configuration wants it. Must not wait for the browser to end.
    public var openBrowser: @Sendable (WebURL, ProviderName) async -> BrowserOutcome
    /// Puts text on the person's clipboard; `false` when none can be reached.
    public var copy: @Sendable (String) async -> Bool
    /// Puts a token on the user's clipboard; `false` when none can be reached. A token that is still there is cleared when the app ends.
    public var copySecret: @Sendable (Secret) async -> Bool
    /// Clears the clipboard where the last thing that was copied from here is a token; `false` where it is not, and nothing was done.
    public var clearSecret: @Sendable () async -> Bool
    /// Keeps the name of the theme for the next start.
    public var saveTheme: @Sendable (String) async throws(AuthFailure) -> Void
    /// Writes one setting into the configuration; throws `.configuration` where it cannot be written, or is not right.
    public var saveSetting: @Sendable (SettingChange) async throws(AuthFailure) -> Void
    /// Adds providers; `nil` where that is not done from here.
    public var onboarding: ProviderOnboarding?
    /// Whether whoever runs the app starts the demo when ``TerminalApp/Leaving/wantsDemo`` says so.
    public var offersDemo: Bool
    /// In the demo, whom to sign in as, in a line; `nil` elsewhere.
    public var demoAdvice: String?
    /// Reads the settings again, and has the session service take the providers as they are configured now.
    public var readSettings: @Sendable () async throws(AuthFailure) -> TerminalAppSettings
    /// Tells when the settings or the providers have changed outside of the app.
    public var settingsChanges: @Sendable () -> AsyncStream<Void>
    /// The clock.
    public var time: any TimeSource
    /// The settings at the start.
    public var settings: TerminalAppSettings

    public init(
        openBrowser: @escaping @Sendable (WebURL, ProviderName) async -> BrowserOutcome,
        copy: @escaping @Sendable (String) async -> Bool,
        copySecret: @escaping @Sendable (Secret) async -> Bool,
        clearSecret: @escaping @Sendable () async -> Bool = { false },
        saveTheme: @escaping @Sendable (String) async throws(AuthFailure) -> Void,
        saveSetting: @escaping @Sendable (SettingChange) async throws(AuthFailure) -> Void = { _ throws(AuthFailure) in
            throw AuthFailure(.configuration, "settings cannot be changed from here")
        },
        onboarding: ProviderOnboarding? = nil, offersDemo: Bool = false, demoAdvice: String? = nil,
        readSettings: @escaping @Sendable () async throws(AuthFailure) -> TerminalAppSettings,
        settingsChanges: @escaping @Sendable () -> AsyncStream<Void> = { AsyncStream { $0.finish() } },
        time: any TimeSource,
        settings: TerminalAppSettings
    ) {
        self.openBrowser = openBrowser
        self.copy = copy
        self.copySecret = copySecret
        self.clearSecret = clearSecret
        self.saveTheme = saveTheme
        self.saveSetting = saveSetting
        self.onboarding = onboarding
        self.offersDemo = offersDemo
        self.demoAdvice = demoAdvice
        self.readSettings = readSettings
        self.settingsChanges = settingsChanges
        self.time = time
        self.settings = settings
    }
}
