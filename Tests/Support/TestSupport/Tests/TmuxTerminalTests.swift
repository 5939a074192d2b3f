import ProcessHarness
import Testing

@Suite(.enabled(if: Product.installed("tmux") != nil, "tmux is not installed"))
struct TmuxTerminalTests {
    @Test func runsACommandAndReturnsItsOutput() async throws {
        let terminal = try await TmuxTerminal(TemporaryHome())
        #expect(try await terminal.run("echo $TERM; stty size") == ["tmux-256color", "24 80"])
    }

    @Test func readsStylesCursorAndScreen() async throws {
        let terminal = try await TmuxTerminal(TemporaryHome(), size: .init(40, 10))
        let plain = try await terminal.screen()
        #expect(!plain.isStyled)
        #expect(!plain.isAlternate)
        #expect(plain.foregroundProgram == "bash")
        try await terminal.enter(#"printf '\033[?1049h\033[?25l\033[H\033[1;31mred\033[m 日本\033[3;4H'; read _"#)
        let screen = try await terminal.wait { $0.isAlternate && !$0.isCursorVisible && $0.shows("日本") }
        #expect(screen.rows[0] == "red 日本")
        #expect(screen.rows.count == 10)
        #expect(screen.styledRows[0].contains("\u{1b}[1m"))
        #expect((screen.cursorRow, screen.cursorColumn) == (2, 3))
    }

    @Test func resizesTheRunningProgram() async throws {
        let terminal = try await TmuxTerminal(TemporaryHome())
        try await terminal.resize(to: .init(100, 30))
        #expect(try await terminal.run("stty size") == ["30 100"])
    }

    @Test func timeoutErrorContainsTheScreen() async throws {
        let terminal = try await TmuxTerminal(TemporaryHome())
        let error = await #expect(throws: HarnessError.self) {
            try await terminal.wait(for: "never", within: .milliseconds(300))
        }
        #expect(error?.description.contains(TmuxTerminal.prompt) == true)
    }
}
