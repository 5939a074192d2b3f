public import AuthModel
public import AuthEngine
internal import SessionStore
public import System

/// The true edges of the program: what it cannot bring about itself. Everything else is the same in a test as for a person.
public struct Edges: Sendable {
    public var environment: [String: String]
    /// What relative paths start from.
    public var workingDirectory: String
    public var streams: Streams
    public var time: any TimeSource
    public var transport: any HTTPTransport
    /// Opens a URL in the person's browser, as the request wants it; does not wait for the browser to end.
    public var openBrowser: @Sendable (BrowserRequest) async -> BrowserLaunch
    /// The signals that ask the program to end. Asked for once, by commands that have something to put in order first.
    public var interruptions: @Sendable () -> AsyncStream<Interruption>
    /// Ends the program at once, without putting anything in order.
    public var exitNow: @Sendable (Int32) -> Void
    /// Becomes another program: only a failure returns.
    public var replaceProcess: @Sendable (_ arguments: [String], _ environment: [String: String]) -> SystemError
    /// Runs the terminal app to its end. Throws `.configuration` where there can be no full-screen terminal.
    public var runApp: @Sendable (AppLaunch) async throws(AuthFailure) -> Void
    /// The program that can be started as the agent; `nil` where there is none, and then no command starts one.
    public var agentProgram: String?
    /// The program with the test providers; `nil` if it is not installed.
    public var sandboxProgram: String?
    /// What deriving a key from a passphrase costs; less in tests, which derive many.
    var derivation = KeyDerivation.Bounds.standard
}

/// A URL that the person's browser is to show.
public struct BrowserRequest: Equatable, Sendable {
    public var url: WebURL
    /// The command that the provider's configuration names.
    public var command: String?
    public var isPrivate: Bool

    public init(url: WebURL, command: String? = nil, isPrivate: Bool = false) {
        self.url = url
        self.command = command
        self.isPrivate = isPrivate
    }
}
