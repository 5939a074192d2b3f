import ProcessHarness
import TestSupport
import Testing

@Suite(.startsPrograms, .enabled(if: Product.installed("tmux") != nil, "tmux is not installed"))
struct StartTests {
    @Test func opensOnHomeAndQuitsWithQ() async throws {
        let app = try await AppTerminal()
        let before = try await app.settings()
        try await app.start()
        let screen = try await app.terminal.wait { $0.shows("sandbox") && $0.shows("? help") }
        #expect(screen.rows.count == 24)
        #expect(screen.rows[0].contains("yett"))
        #expect(screen.isStyled)
        try await app.terminal.press("q")
        #expect(try await app.ended() == "0")
        #expect(try await app.settings() == before)
        #expect(try await app.terminal.screen().isCursorVisible)
    }

    @Test func signsInAtTheSandboxAndCountsDown() async throws {
        // The last ten minutes are shown in seconds.
        let app = try await AppTerminal(size: .init(100, 30), sandbox: ["--auto-approve", "ada", "--access-lifetime", "300"])
        try await app.start()
        try await app.terminal.press("s")
        try await app.terminal.wait(for: "Where do you want to sign in?")
        try await app.terminal.press("Enter")
        try await app.terminal.wait(for: "Welcome, ada.")
        try await app.terminal.press("Enter")
        let first = try await app.terminal.wait { $0.shows("sandbox/ada") && $0.shows("signed in") && $0.shows(" min ") }
        let row = try #require(first.rows.first { $0.contains("sandbox/ada") })
        try await app.terminal.wait { screen in screen.rows.contains { $0.contains("sandbox/ada") && $0 != row } }
        try await app.terminal.press("q")
        #expect(try await app.ended() == "0")
    }

    @Test func helpListsTheKeysAndEscapeClosesIt() async throws {
        let app = try await AppTerminal()
        try await app.start()
        try await app.terminal.press("?")
        try await app.terminal.wait { $0.shows("Keys here") }
        try await app.terminal.press("Escape")
        try await app.terminal.wait { !$0.shows("Keys here") && $0.shows(AppTerminal.welcome) }
    }

    @Test func tPreviewsThemesAndEnterSavesOne() async throws {
        let app = try await AppTerminal()
        try await app.start()
        let before = try await app.terminal.screen()
        try await app.terminal.press("t")
        try await app.terminal.wait { $0.shows("Enter Save") }
        try await app.terminal.press("Down")
        try await app.terminal.wait { $0.styledHeader != before.styledHeader }
        try await app.terminal.press("Escape")
        try await app.terminal.wait { !$0.shows("Enter Save") && $0.styledHeader == before.styledHeader }
        try await app.terminal.press("t", "Down", "Enter")
        let after = try await app.terminal.wait { $0.shows("theme ") && $0.styledHeader != before.styledHeader }
        let notice = try #require(after.rows.first { $0.contains("theme ") })
        let name = try #require(notice.split(separator: " ").last.map(String.init))
        try await app.terminal.press("q")
        #expect(try await app.ended() == "0")
        try await app.start()
        #expect(try await app.terminal.screen().styledHeader == after.styledHeader, "\(name) was not kept")
    }
}
