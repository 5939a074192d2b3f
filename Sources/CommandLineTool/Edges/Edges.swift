public import AuthModel
public import AuthEngine
internal import CursesBackend
internal import SessionStore
public import OperatingSystem

/// The program's access to the outside world. Tests replace it; everything else is the same in tests and in use.
public struct Edges: Sendable {
    /// The environment variables.
    public var environment: [String: String]
    /// The folder that relative paths start from.
    public var workingDirectory: String
    /// The standard streams.
    public var streams: Streams
    /// The clock.
    public var time: any TimeSource
    /// The HTTP client.
    package var transport: any HTTPTransport & UpgradingTransport
    /// Opens a URL in the user's browser; does not wait for the browser to exit.
    public var openBrowser: @Sendable (BrowserRequest) async -> BrowserLaunch
    /// Returns the stream of signals that ask the program to end. Called once, and only for commands that must clean up.
    public var interruptions: @Sendable () -> AsyncStream<Interruption>
    /// Ends the process immediately with this exit status, without cleaning up.
    public var exitNow: @Sendable (Int32) -> Void
    /// Replaces this process with another program. Returns only if that fails.
    public var replaceProcess: @Sendable (_ arguments: [String], _ environment: [String: String]) -> SystemError
    /// Runs the terminal app until it ends. Throws `.configuration` if the terminal cannot run a full-screen app.
    public var runApp: @Sendable (AppLaunch) async throws(AuthFailure) -> Void
    /// The program to start as the agent; `nil` if there is none, and then no command starts an agent.
    public var agentProgram: String?
    /// The program with the test providers; `nil` if it is not installed.
    public var sandboxProgram: String?
    /// The session service of a command that runs in the agent; `nil` in a process of its own, which chooses one.
    var sessionService: (any SessionService)?
    /// Opens the terminal of the user for reading keys; returns `nil` if there is none.
    var keyTerminal: @Sendable () -> KeyTerminal? = { nil }
    /// The cost of deriving a key from a passphrase; lower in tests, which derive many keys.
    var derivation = KeyDerivation.Bounds.standard
    /// Returns whether a user can take part in a sign-in. Default: no user.
    var userPresence: @Sendable () -> UserPresence = { UserPresence() }
    /// Runs `yett login` with these arguments in a process of its own, and returns its exit status; `nil` if it could not be started, or if
    /// the task was cancelled.
    var login: @Sendable (_ arguments: [String], _ place: LoginProcess.Place) async -> Int32? = { _, _ in nil }
    /// Asks the terminal for its background; `nil` if it has no answer.
    var terminalBackground: @Sendable ([String: String]) -> TerminalBackground? = { _ in nil }
}

/// A request to show a URL in the user's browser.
public struct BrowserRequest: Equatable, Sendable {
    /// The URL to show.
    public var url: WebURL
    /// The browser command in the provider's configuration.
    public var command: String?
    /// Whether to open a private window.
    public var isPrivate: Bool

    /// Creates a request; without `command`, the user's default browser is used.
    public init(url: WebURL, command: String? = nil, isPrivate: Bool = false) {
        self.url = url
        self.command = command
        self.isPrivate = isPrivate
    }
}
