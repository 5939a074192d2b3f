public import AuthModel

/// The terminal app's external dependencies, except its session service, as closures: tests pass their own.
public struct TerminalAppEnvironment: Sendable {
    /// Opens a URL in the user's browser, as the provider's configuration says. Must not wait for the browser to end.
    public var openBrowser: @Sendable (WebURL, ProviderName) async -> BrowserOutcome
    /// Copies text to the user's clipboard; false if no clipboard is reachable.
    public var copy: @Sendable (String) async -> Bool
    /// Copies a token to the user's clipboard; false if no clipboard is reachable. A token that is still there when the app ends is
    /// cleared.
    public var copySecret: @Sendable (Secret) async -> Bool
    /// Clears the clipboard if the last text copied from here is a token; otherwise does nothing and returns false.
    public var clearSecret: @Sendable () async -> Bool
    /// Shows a notice on the user's desktop; does nothing where the terminal shows none.
    public var notify: @Sendable (String) -> Void
    /// Saves the name of the theme for the next start.
    public var saveTheme: @Sendable (String) async throws(AuthFailure) -> Void
    /// Writes one setting to the configuration; throws `.configuration` if it cannot be written, or is invalid.
    public var saveSetting: @Sendable (SettingChange) async throws(AuthFailure) -> Void
    /// Adds providers; nil if the app cannot add any.
    public var onboarding: ProviderOnboarding?
    /// Whether the session service is an agent's; otherwise this process keeps the sessions.
    public var usesAgent: Bool
    /// Whether the caller of the app starts the demo when ``TerminalApp/RemainingWork/wantsDemo`` is true.
    public var offersDemo: Bool
    /// The session to open first; nil for the usual first screen.
    public var opens: SessionName?
    /// In the demo, one line that says which user to sign in as; nil elsewhere.
    public var demoAdvice: String?
    /// Reads the settings again, and makes the session service reload the configured providers.
    public var readSettings: @Sendable () async throws(AuthFailure) -> TerminalAppSettings
    /// Returns a stream of changes to the settings or the providers outside the app.
    public var settingsChanges: @Sendable () -> AsyncStream<Void>
    /// The clock.
    public var time: any TimeSource
    /// The initial settings.
    public var settings: TerminalAppSettings

    /// Creates an environment.
    public init(
        openBrowser: @escaping @Sendable (WebURL, ProviderName) async -> BrowserOutcome,
        copy: @escaping @Sendable (String) async -> Bool,
        copySecret: @escaping @Sendable (Secret) async -> Bool,
        clearSecret: @escaping @Sendable () async -> Bool = { false },
        notify: @escaping @Sendable (String) -> Void = { _ in },
        saveTheme: @escaping @Sendable (String) async throws(AuthFailure) -> Void,
        saveSetting: @escaping @Sendable (SettingChange) async throws(AuthFailure) -> Void = { _ throws(AuthFailure) in
            throw AuthFailure(.configuration, "setting.not_changeable_here")
        },
        onboarding: ProviderOnboarding? = nil, usesAgent: Bool = false, offersDemo: Bool = false, demoAdvice: String? = nil,
        readSettings: @escaping @Sendable () async throws(AuthFailure) -> TerminalAppSettings,
        settingsChanges: @escaping @Sendable () -> AsyncStream<Void> = { AsyncStream { $0.finish() } },
        time: any TimeSource,
        settings: TerminalAppSettings
    ) {
        self.openBrowser = openBrowser
        self.copy = copy
        self.copySecret = copySecret
        self.clearSecret = clearSecret
        self.notify = notify
        self.saveTheme = saveTheme
        self.saveSetting = saveSetting
        self.onboarding = onboarding
        self.usesAgent = usesAgent
        self.offersDemo = offersDemo
        self.demoAdvice = demoAdvice
        self.readSettings = readSettings
        self.settingsChanges = settingsChanges
        self.time = time
        self.settings = settings
    }
}
