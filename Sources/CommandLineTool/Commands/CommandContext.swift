internal import AuthModel
internal import Logging
internal import UserConfiguration

/// The context of a command: the edges, the global options, and values derived from them.
struct CommandContext: Sendable {
    private(set) var edges: Edges
    let options: GlobalOptions
    let console: Console
    let directories: Directories

    init(edges: Edges, options: GlobalOptions, console: Console) {
        self.edges = edges
        self.options = options
        self.console = console
        directories = Directories(environment: edges.environment)
    }

    /// Whether logging was requested.
    var isLogging: Bool { options.logs || edges.environment["YETT_LOG"] == "debug" }

    /// Opens the log if it was requested with `--log` or `YETT_LOG=debug`, and logs all later network requests.
    mutating func beginLog() throws(AuthFailure) -> Logger? {
        guard isLogging else { return nil }
        let logger = try LogFile(directory: directories.state, time: edges.time).logger
        edges.transport = LoggedTransport(transport: edges.transport, logger: logger, time: edges.time)
        return logger
    }

    /// The current time.
    var now: Timestamp { edges.time.now }

    /// Returns the configuration file to use.
    func configurationFile() throws(AuthFailure) -> ConfigurationFile {
        try ConfigurationFile(
            option: options.configuration, environment: edges.environment, directories: directories,
            workingDirectory: edges.workingDirectory, rules: .standard)
    }

    /// Whether the user can be asked at a terminal.
    var canAsk: Bool { edges.streams.isInputTerminal && edges.streams.isDiagnosticsTerminal }

    /// Whether the app can run as plain prompts: on request, or at a terminal that supports only lines.
    var canRunPlain: Bool { canAsk && (options.isPlain || edges.streams.isAnswerTerminal && supportsLinesOnly) }

    /// Whether the full-screen app can run.
    var canRunApp: Bool {
        !options.isPlain && edges.streams.isInputTerminal && edges.streams.isAnswerTerminal && !supportsLinesOnly
    }

    /// Whether the terminal has no cursor movement.
    var supportsLinesOnly: Bool { ["", "dumb"].contains(edges.environment["TERM"] ?? "") }
}
