import Glibc
import ProcessHarness
import TestSupport
import Testing

/// A typed passphrase is never shown, and the terminal echoes again however the program stops or ends.
@Suite(.startsPrograms, .enabled(if: Product.installed("tmux") != nil, "tmux is not installed"))
struct PassphraseSignalTests {
    /// The program at its prompt for the passphrase of a new store.
    private struct Prompt {
        let home: TemporaryHome
        let terminal: TmuxTerminal
        /// The terminal settings before the program started.
        let before: [String]
        let process: pid_t

        init(_ arguments: String, asking question: String) async throws {
            home = try TemporaryHome()
            try home.configure("[store]\nseal = \"passphrase\"\n")
            terminal = try await TmuxTerminal(
                home, size: .init(100, 40), with: ["PATH": "\(Product.folder):/usr/bin:/bin", "YETT_NO_AGENT": "1"])
            before = try await terminal.run("stty -g")
            try await terminal.enter("clear; sh -c 'echo $$ >process; exec yett-main \(arguments)'")
            try await terminal.wait { $0.lastLine == question }
            let text = String(decoding: try #require(home.read("process")), as: UTF8.self)
            process = try #require(pid_t(text.dropLast()))
        }

        /// Waits until the shell has the terminal again, and returns the program's exit status.
        func ended() async throws -> String {
            try await terminal.wait { $0.foregroundProgram == "bash" && $0.lastLine.hasPrefix(TmuxTerminal.prompt) }
            try await terminal.enter("echo status=$?.")
            let screen = try await terminal.wait { screen in screen.rows.contains { $0.hasPrefix("status=") && $0.hasSuffix(".") } }
            return String((screen.rows.last { $0.hasPrefix("status=") } ?? "").dropFirst("status=".count).dropLast())
        }
    }

    private func command() async throws -> Prompt { try await Prompt("--plain", asking: "Passphrase:") }

    @Test func echoIsRestoredWhileStoppedAndOffAfterwards() async throws {
        let prompt = try await command()
        try await prompt.terminal.type("half of it")
        try await prompt.terminal.press("C-z")
        try await prompt.terminal.wait { $0.shows("Stopped") && $0.lastLine.hasPrefix(TmuxTerminal.prompt) }
        #expect(try await prompt.terminal.run("stty -g") == prompt.before)
        try await prompt.terminal.enter("fg")
        try await prompt.terminal.wait { $0.lastLine == "Passphrase:" }
        try await prompt.terminal.enter("correct horse")
        // What was typed before the stop is discarded; the passphrase is the line that was typed after it.
        try await prompt.terminal.wait { $0.lastLine == "Repeat:" }
        try await prompt.terminal.enter("correct horse")
        let screen = try await prompt.terminal.wait { $0.shows("unlocked") && $0.lastLine == ">" }
        #expect(!screen.shows("horse") && !screen.shows("half"))
        try await prompt.terminal.enter("q")
        #expect(try await prompt.ended() == "0")
        #expect(try await prompt.terminal.run("stty -g") == prompt.before)
    }

    /// Every signal whose default action ends the process (signal(7)); the shell's exit status shows which one it was.
    @Test(
        arguments: [
            SIGABRT, SIGALRM, SIGBUS, SIGFPE, SIGILL, SIGIO, SIGPROF, SIGPWR, SIGQUIT, SIGSEGV, SIGSTKFLT, SIGSYS, SIGTRAP, SIGUSR1,
            SIGUSR2,
            SIGVTALRM, SIGXCPU, SIGXFSZ, 40,
        ] as [Int32])
    func echoIsRestoredAfterADeadlySignal(number: Int32) async throws {
        let prompt = try await command()
        #expect(kill(prompt.process, number) == 0)
        #expect(try await prompt.ended() == String(128 + number))
        #expect(try await prompt.terminal.run("stty -g") == prompt.before)
    }

    /// The program does not ask for the passphrase a second time.
    @Test(arguments: [SIGTERM, SIGHUP])
    func terminationSignalEndsThePrompt(number: Int32) async throws {
        let prompt = try await command()
        try await prompt.terminal.type("half of it")
        #expect(kill(prompt.process, number) == 0)
        _ = try await prompt.ended()
        let screen = try await prompt.terminal.screen()
        #expect(!screen.shows("Repeat:"))
        // What was typed so far appears neither on the screen nor in the shell.
        #expect(!screen.shows("half"))
        #expect(try await prompt.terminal.run("stty -g") == prompt.before)
    }
}

extension TerminalScreen {
    /// The last row that is not empty.
    fileprivate var lastLine: String { rows.last { !$0.isEmpty } ?? "" }
}
