import ProcessHarness
import TestSupport
import Testing

@Suite(.startsPrograms, .enabled(if: Product.installed("tmux") != nil, "tmux is not installed"))
struct SizeTests {
    @Test(arguments: [(80, 24), (200, 60), (40, 10), (20, 5)])
    func showsTheSignInScreenAtEverySize(columns: Int, rows: Int) async throws {
        let app = try await AppTerminal(size: .init(columns, rows))
        try await app.start()
        let screen = try await app.terminal.screen()
        #expect(screen.rows.count == rows)
        #expect(screen.rows.allSatisfy { $0.count <= columns })
    }

    @Test func survivesTheSmallestTerminal() async throws {
        let app = try await AppTerminal()
        try await app.start()
        try await app.terminal.resize(to: .init(1, 1))
        try await app.terminal.wait { $0.rows.count == 1 && $0.isAlternate }
        try await app.terminal.press("Down", "t")
        try await app.terminal.resize(to: .init(80, 24))
        try await app.terminal.wait { $0.rows.count == 24 && $0.shows("Enter save") }
        try await app.terminal.press("Escape")
        try await app.terminal.wait { !$0.shows("Enter save") }
        try await app.terminal.resize(to: .init(1, 1))
        try await app.terminal.wait { $0.rows.count == 1 && $0.isAlternate }
        try await app.terminal.press("?")
        try await app.terminal.resize(to: .init(80, 24))
        try await app.terminal.wait { $0.rows.count == 24 && $0.shows("Keys here") }
        try await app.terminal.press("Escape")
        try await app.terminal.wait(for: AppTerminal.welcome)
    }

    @Test func startsInTheSmallestTerminal() async throws {
        let app = try await AppTerminal()
        // The shell's own line editor does not survive this size.
        try await app.terminal.enter("clear; read; yett")
        try await app.terminal.wait { $0.foregroundProgram == "bash" && !$0.shows(TmuxTerminal.prompt) }
        try await app.terminal.resize(to: .init(1, 1))
        try await app.terminal.press("Enter")
        try await app.terminal.wait { $0.isAlternate }
        try await app.terminal.resize(to: .init(80, 24))
        try await app.terminal.wait(for: AppTerminal.welcome)
    }

    @Test func settlesAfterManyResizes() async throws {
        let app = try await AppTerminal()
        try await app.start()
        // The first frame has no providers yet.
        let quiet = try await app.terminal.wait { $0.shows("Sign up") && $0.shows("? help") }
        for step in 0..<40 {
            try await app.terminal.resize(to: .init(1 + (step * 37) % 180, 1 + (step * 23) % 55))
        }
        try await app.terminal.resize(to: .init(80, 24))
        // All but the header, whose clock may have gone on meanwhile.
        let screen = try await app.terminal.wait { $0.rows.dropFirst() == quiet.rows.dropFirst() }
        #expect(screen.isAlternate)
        try await app.terminal.press("q")
        #expect(try await app.ended() == "0")
    }
}
