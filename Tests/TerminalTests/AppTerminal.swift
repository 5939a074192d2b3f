import ProcessHarness

/// The built program in a real terminal, in a temporary home, with the sandbox as its provider.
struct AppTerminal {
    /// A line of the first screen.
    static let welcome = "Sign in"

    let home: TemporaryHome
    let sandbox: SandboxProvider
    let terminal: TmuxTerminal

    /// Opens the terminal; the program is not started yet.
    init(
        size: TmuxTerminal.Size = .init(80, 24), type: String = "tmux-256color", with changes: [String: String?] = [:],
        sandbox options: [String] = []
    ) async throws {
        home = try TemporaryHome()
        sandbox = try await SandboxProvider(options: options)
        try home.configure(sandbox, as: "sandbox")
        var variables: [String: String?] = ["PATH": "\(Product.folder):/usr/local/bin:/usr/bin:/bin", "BROWSER": Browser.following]
        variables.merge(changes) { $1 }
        terminal = try await TmuxTerminal(home, size: size, type: type, with: variables)
    }

    /// What the first screen shows until the session service has answered.
    static let asking = "Loading sessions."

    /// Starts the app, and waits until its first screen is complete and lists the providers.
    func start() async throws {
        try await terminal.enter("clear; yett")
        try await terminal.wait { $0.isAlternate && $0.shows(Self.welcome) && !$0.shows(Self.asking) }
    }

    /// Waits until the shell has the terminal again, and returns the app's exit status.
    func ended() async throws -> String {
        try await terminal.wait { !$0.isAlternate && $0.foregroundProgram == "bash" }
        // Not with `run`, which would return the status of its own command.
        try await terminal.enter("echo status=$?.")
        let screen = try await terminal.wait { screen in screen.rows.contains { $0.hasPrefix("status=") && $0.hasSuffix(".") } }
        let row = screen.rows.last { $0.hasPrefix("status=") } ?? ""
        return String(row.dropFirst("status=".count).dropLast())
    }

    /// The terminal settings, in a form that can be compared.
    func settings() async throws -> [String] {
        try await terminal.run("stty -g")
    }
}

extension TerminalScreen {
    /// The first row with its colours, without the clock.
    var styledHeader: String { styledRows[0].replacing(/\d\d:\d\d/, with: "") }
}
