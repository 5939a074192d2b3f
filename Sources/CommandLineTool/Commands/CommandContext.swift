internal import AuthModel
internal import Logging

/// What a command works with: the edges, and what is made of them.
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

    /// Whether a log was asked for.
    var isLogging: Bool { options.logs || edges.environment["YETT_LOG"] == "debug" }

    /// Begins a log where one was asked for, with `--log` or `YETT_LOG=debug`; the network is logged from then on.
    mutating func beginLog() throws(AuthFailure) -> Logger? {
        guard isLogging else { return nil }
        let logger = try LogFile(directory: directories.state, time: edges.time).logger
        edges.transport = LoggedTransport(transport: edges.transport, logger: logger, time: edges.time)
        return logger
    }

    /// The civil time.
    var now: Timestamp { edges.time.now }

    /// Where the configuration is.
    func configurationFile() throws(AuthFailure) -> ConfigurationFile {
        try ConfigurationFile(
            option: options.configuration, environment: edges.environment, directories: directories,
            workingDirectory: edges.workingDirectory)
    }

    /// Whether a person can be asked something.
    var canAsk: Bool { edges.streams.isInputTerminal && edges.streams.isDiagnosticsTerminal }

    /// Whether the app is to be run as plain prompts: where that is wished for, and at a terminal that knows lines only.
    var canRunPlain: Bool { canAsk && (options.isPlain || edges.streams.isAnswerTerminal && knowsLinesOnly) }

    /// Whether the full-screen app can be shown.
    var canRunApp: Bool {
        !options.isPlain && edges.streams.isInputTerminal && edges.streams.isAnswerTerminal && !knowsLinesOnly
    }

    private var knowsLinesOnly: Bool { ["", "dumb"].contains(edges.environment["TERM"] ?? "") }
}
