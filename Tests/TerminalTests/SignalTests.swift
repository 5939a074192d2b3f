import Glibc
import ProcessHarness
import TestSupport
import Testing

/// Tests that the terminal is restored, however the app ends.
@Suite(.startsPrograms, .enabled(if: Product.installed("tmux") != nil, "tmux is not installed"))
struct SignalTests {
    @Test func suspendsAndResumes() async throws {
        let app = try await AppTerminal()
        let before = try await app.settings()
        try await app.start()
        try await app.terminal.press("C-z")
        try await app.terminal.wait { !$0.isAlternate && $0.shows("Stopped") }
        #expect(try await app.settings() == before)
        try await app.terminal.enter("fg")
        try await app.terminal.wait { $0.isAlternate && $0.shows(AppTerminal.welcome) }
        try await app.terminal.press("?")
        try await app.terminal.wait(for: "Keys here")
        try await app.terminal.press("q")
        #expect(try await app.ended() == "0")
        #expect(try await app.settings() == before)
    }

    @Test func resumesAtTheNewSize() async throws {
        let app = try await AppTerminal()
        try await app.start()
        try await app.terminal.press("C-z")
        try await app.terminal.wait { !$0.isAlternate && $0.shows("Stopped") }
        try await app.terminal.resize(to: .init(120, 40))
        try await app.terminal.enter("fg")
        try await app.terminal.wait { $0.isAlternate && $0.rows.last?.contains("? help") == true && $0.rows.count == 40 }
    }

    @Test func controlCEndsTheProgram() async throws {
        let app = try await AppTerminal()
        let before = try await app.settings()
        try await app.start()
        try await app.terminal.press("C-c")
        #expect(try await app.ended() == "0")
        #expect(try await app.settings() == before)
    }

    @Test func controlCCancelsASignInAndKeepsTheApp() async throws {
        let app = try await AppTerminal(with: ["BROWSER": "none"])
        try await app.start()
        try await app.terminal.press("s")
        try await app.terminal.wait(for: "Where do you want to sign in?")
        try await app.terminal.press("Enter")
        let waiting = try await app.terminal.wait { $0.shows("http://127.0.0.1:") && $0.shows("left") }
        #expect(waiting.isAlternate)
        try await app.terminal.press("C-c")
        let screen = try await app.terminal.wait(for: "sign-in cancelled")
        #expect(screen.isAlternate)
        #expect(app.home.files(containing: "code_challenge=") == [])
    }

    /// Signals sent to the app while it shows a screen: the number, and the exit status that the shell sees.
    @Test(
        arguments: [
            (SIGINT, nil), (SIGTERM, nil), (SIGHUP, nil), (SIGSEGV, "139"), (SIGABRT, "134"), (SIGILL, "132"), (SIGBUS, "135"),
            (SIGXCPU, "152"),
            (SIGUSR1, "138"), (SIGUSR2, "140"), (SIGALRM, "142"), (SIGVTALRM, "154"), (SIGPROF, "155"), (SIGIO, "157"), (SIGSYS, "159"),
            (SIGXFSZ, "153"), (34, "162"),
        ] as [(Int32, String?)])
    func signalRestoresTheTerminal(number: Int32, status expected: String?) async throws {
        let app = try await AppTerminal()
        let before = try await app.settings()
        try await app.terminal.enter("clear; sh -c 'echo $$ >process; exec yett'")
        try await app.terminal.wait { $0.isAlternate && $0.shows(AppTerminal.welcome) }
        let text = String(decoding: try #require(app.home.read("process")), as: UTF8.self)
        let process = try #require(pid_t(text.dropLast()))
        #expect(kill(process, number) == 0)
        let status = try await app.ended()
        if let expected { #expect(status == expected) }
        #expect(try await app.settings() == before)
        let screen = try await app.terminal.screen()
        #expect(screen.isCursorVisible)
        #expect(!screen.isAlternate)
    }
}
