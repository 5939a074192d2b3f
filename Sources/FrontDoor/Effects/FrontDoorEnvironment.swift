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

/// Everything outside that the terminal app reaches beside its keeper, as closures: a test gives its own.
public struct FrontDoorEnvironment: Sendable {
    /// Opens a URL in the person's browser, the way the provider's configuration wants it. Must not wait for the browser to end.
    public var openBrowser: @Sendable (WebURL, ProviderName) async -> BrowserOutcome
    /// Puts text on the person's clipboard; `false` when none can be reached.
    public var copy: @Sendable (String) async -> Bool
    /// Puts a token on the person's clipboard; `false` when none can be reached.
    public var copySecret: @Sendable (Secret) async -> Bool
    /// Keeps the name of the theme for the next start.
    public var saveTheme: @Sendable (String) async throws(AuthFailure) -> Void
    /// The clock.
    public var time: any TimeSource
    /// Whether people who are guests somewhere are asked to sign in.
    public var asksGuests: Bool
    /// What the person should know from the start, one line each.
    public var warnings: [String]

    public init(
        openBrowser: @escaping @Sendable (WebURL, ProviderName) async -> BrowserOutcome,
        copy: @escaping @Sendable (String) async -> Bool,
        copySecret: @escaping @Sendable (Secret) async -> Bool,
        saveTheme: @escaping @Sendable (String) async throws(AuthFailure) -> Void,
        time: any TimeSource,
        asksGuests: Bool = true,
        warnings: [String] = []
    ) {
        self.openBrowser = openBrowser
        self.copy = copy
        self.copySecret = copySecret
        self.saveTheme = saveTheme
        self.time = time
        self.asksGuests = asksGuests
        self.warnings = warnings
    }
}
