import Glibc
import Synchronization

/// A real terminal for a test: an interactive shell in its own detached tmux.
///
/// The shell has job control, a prompt that is easy to wait for, and the environment of a temporary home. Waiting uses a copy of the
/// terminal's output: the screen is read again when there is new output, until the deadline.
public final class TmuxTerminal: Sendable {
    /// The size of a terminal, in columns and rows.
    public struct Size: Equatable, Sendable {
        /// The number of columns.
        public var columns: Int
        /// The number of rows.
        public var rows: Int

        /// Creates a size.
        public init(_ columns: Int, _ rows: Int) {
            self.columns = columns
            self.rows = rows
        }
    }

    /// The shell's prompt.
    public static let prompt = "ready>"

    private let home: TemporaryHome
    private let tmux: String
    private let socket: String
    /// The reading end of a named pipe with a copy of all output to the terminal.
    private let outputPipe: Int32
    /// The process ID of the tmux server; 0 before it is known.
    private let server = Mutex<pid_t>(0)

    /// Opens a terminal.
    /// - Parameter type: the value of the shell's `TERM`. tmux itself supports `tmux-256color` and similar types.
    public init(
        _ home: TemporaryHome, size: Size = Size(80, 24), type: String = "tmux-256color", with changes: [String: String?] = [:]
    ) async throws {
        guard let tmux = Product.installed("tmux") else { throw HarnessError("tmux is not installed") }
        guard let shell = Product.installed("bash") else { throw HarnessError("bash is not installed") }
        self.home = home
        self.tmux = tmux
        let tag = String(UInt32.random(in: .min ... .max), radix: 36)
        socket = "\(home.path)/tmp/tmux-\(tag)"
        let pipe = "\(home.path)/tmp/news-\(tag)"
        guard mkfifo(pipe, 0o600) == 0 else { throw HarnessError.system("mkfifo", errno) }
        // Opened for reading and writing, so that opening does not wait for a writer and reading does not end with one.
        outputPipe = open(pipe, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard outputPipe >= 0 else { throw HarnessError.system("cannot open \(pipe)", errno) }
        let settings = try home.write(
            """
            set -g status off
            set -g escape-time 0
            set -g remain-on-exit on
            set -g default-terminal tmux-256color
            set -g history-limit 10000

            """, to: "tmp/tmux-\(tag).conf")
        var environment = home.environment(with: changes)
        environment["TERM"] = type
        environment["PS1"] = "\(Self.prompt) "
        environment["HISTFILE"] = "/dev/null"
        let variables = environment.map { "\($0.key)=\($0.value)" }.sorted()
        try await command(
            ["-f", settings, "new-session", "-d", "-x", "\(size.columns)", "-y", "\(size.rows)", "-c", home.path, "/usr/bin/env", "-i"]
                + variables + [shell, "--norc", "--noprofile", "-i"])
        let answer = try await command(["display-message", "-p", "#{pid}"])
        server.withLock { $0 = pid_t(answer.dropLast()) ?? 0 }
        try await command(["pipe-pane", "-O", "exec cat >'\(pipe)'"])
        try await wait { $0.rows.contains { $0.hasPrefix(Self.prompt.prefix(size.columns)) } }
    }

    deinit {
        close(outputPipe)
        let server = server.withLock { $0 }
        if server > 0 { kill(server, SIGTERM) }
    }

    /// Presses keys, with the names that tmux uses: `Enter`, `Escape`, `Up`, `C-c`, `F5`, `q`.
    public func press(_ keys: String...) async throws {
        try await command(["send-keys"] + keys)
    }

    /// Types text literally.
    public func type(_ text: String) async throws {
        try await command(["send-keys", "-l", "--", text])
    }

    /// Types a command line and presses Enter.
    public func enter(_ line: String) async throws {
        try await type(line)
        try await press("Enter")
    }

    /// Runs a command line, and waits until it has ended.
    /// - Returns: the rows of its output.
    @discardableResult
    public func run(_ line: String, within limit: Duration = .seconds(300)) async throws -> [String] {
        let mark = "done-" + String(UInt32.random(in: .min ... .max), radix: 36)
        // The mark is printed in two parts, so that the typed line does not match it.
        let (head, tail) = (mark.prefix(6), mark.dropFirst(6))
        try await enter("clear; \(line); printf '%s%s\\n' \(head) \(tail)")
        let screen = try await wait(within: limit) { $0.rows.contains(mark) }
        return Array(screen.rows.prefix { $0 != mark })
    }

    /// A command line that was entered with ``start(_:)``.
    public struct StartedLine: Sendable {
        /// What is printed behind its exit status.
        fileprivate let mark: String

        /// Returns whether the screen shows that it has ended.
        public func hasEnded(on screen: TerminalScreen) -> Bool { status(on: screen) != nil }

        fileprivate func status(on screen: TerminalScreen) -> Int? {
            screen.rows.lazy.filter { $0.hasSuffix(mark) }.compactMap { row in
                Int(String(row.dropLast(mark.count).reversed().prefix { $0.isNumber }.reversed()))
            }.first
        }
    }

    /// Enters a command line that prints its exit status at its end. Nothing of an earlier line is on the screen any more.
    public func start(_ line: String) async throws -> StartedLine {
        try await enter("clear")
        try await wait { screen in screen.rows.allSatisfy { $0.isEmpty || $0 == Self.prompt } }
        let started = StartedLine(mark: "-end-" + String(UInt32.random(in: .min ... .max), radix: 36))
        try await enter("\(line); echo $?\(started.mark)")
        return started
    }

    /// Waits until a command line has ended.
    /// - Returns: its exit status, and the screen.
    public func end(of line: StartedLine, within limit: Duration = .seconds(300)) async throws -> (status: Int, screen: TerminalScreen) {
        let screen = try await wait(within: limit) { line.status(on: $0) != nil }
        return (line.status(on: screen) ?? -1, screen)
    }

    /// Changes the size of the terminal, and so notifies the program in it.
    public func resize(to size: Size) async throws {
        try await command(["resize-window", "-x", "\(size.columns)", "-y", "\(size.rows)"])
    }

    /// Returns the current screen.
    public func screen() async throws -> TerminalScreen {
        let separator = "\u{1f}"
        let format = ["alternate_on", "cursor_x", "cursor_y", "cursor_flag", "pane_current_command"]
            .map { "#{\($0)}" }.joined(separator: "|")
        let answer = try await command([
            "display-message", "-p", format, ";", "capture-pane", "-p", ";", "display-message", "-p", separator, ";", "capture-pane", "-p",
            "-e",
        ])
        var lines = answer.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" { lines.removeLast() }
        guard let middle = lines.firstIndex(where: { $0.contains(separator) || $0 == "_" || $0 == "\\037" }), middle > 0 else {
            throw HarnessError("tmux answered something else: \(answer)")
        }
        let facts = lines[0].split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        guard facts.count == format.split(separator: "|").count else { throw HarnessError("tmux answered something else: \(lines[0])") }
        return TerminalScreen(
            rows: lines[1..<middle].map(Self.withoutTrailingBlanks), styledRows: lines[(middle + 1)...].map(Self.withoutTrailingBlanks),
            cursorRow: Int(facts[2]) ?? 0, cursorColumn: Int(facts[1]) ?? 0, isCursorVisible: facts[3] == "1", isAlternate: facts[0] == "1",
            foregroundProgram: facts[4])
    }

    /// Waits until the screen satisfies a condition.
    /// - Throws: if it does not within the limit, with the last screen.
    @discardableResult
    public func wait(
        within limit: Duration = .seconds(300), until condition: @Sendable (TerminalScreen) -> Bool
    ) async throws -> TerminalScreen {
        let deadline = ContinuousClock.now + limit
        while true {
            let screen = try await screen()
            if condition(screen) { return screen }
            guard ContinuousClock.now < deadline else { throw HarnessError("the screen never came to what the test waits for:\n\(screen)") }
            let outputPipe = outputPipe
            _ = try await blocking {
                // A change of the foreground program alone causes no output: read the screen again after 200 ms anyway.
                _ = readable([outputPipe], milliseconds: min(200, deadline.millisecondsFromNow))
                while let bytes = readSome(outputPipe), !bytes.isEmpty {}
            }
        }
    }

    /// Waits until a text is shown.
    @discardableResult
    public func wait(for text: String, within limit: Duration = .seconds(300)) async throws -> TerminalScreen {
        try await wait(within: limit) { $0.shows(text) }
    }

    @discardableResult
    private func command(_ arguments: [String]) async throws -> String {
        let environment = ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": home.path]
        let result = try await Program(tmux, ["-S", socket, "-u"] + arguments, environment: environment, limit: .seconds(300)).run()
        guard result.status == 0 else { throw HarnessError("tmux \(arguments.joined(separator: " ")): \(result)") }
        return result.output
    }

    private static func withoutTrailingBlanks(_ row: String) -> String {
        String(row.reversed().drop { $0 == " " }.reversed())
    }
}
