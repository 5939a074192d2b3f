import ProcessHarness
import Testing

/// What people come for, with many sessions, in the built program.
@Suite(.enabled(if: Product.installed("tmux") != nil, "tmux is not installed"))
struct CrowdTests {
    /// A home with `count` sessions in all states, and one at the sandbox that is good for five minutes.
    private func crowded(_ count: Int, size: TmuxTerminal.Size) async throws -> AppTerminal {
        let app = try await AppTerminal(size: size, with: ["YETT_NO_AGENT": "1"], sandbox: ["--auto-approve", "ada"])
        let configuration = String(decoding: try #require(app.home.read("config/yett/config.toml")), as: UTF8.self)
        try app.home.configure(configuration + CrowdedHome.configuration)
        try await CrowdedHome.fill(app.home, with: count)
        let login = try await app.home.program(
            "yett-main", ["login", "sandbox"], with: ["BROWSER": Browser.following, "YETT_NO_AGENT": "1"]
        ).run()
        #expect(login.status == 0, "\(login)")
        try await app.terminal.enter("clear; yett")
        try await app.terminal.wait { $0.isAlternate && $0.shows("yett › Sessions") && $0.shows("? help") }
        return app
    }

    @Test(arguments: [(80, 24), (120, 40), (200, 60), (40, 10)])
    func fiftySessionsInAllStatesKeepTheirColumns(columns: Int, rows: Int) async throws {
        let app = try await crowded(50, size: .init(columns, rows))
        let screen = try await app.terminal.wait { $0.shows("▸") }
        let lines = screen.rows.filter {
            $0.contains("/") && ($0.contains("●") || $0.contains("▲") || $0.contains("◐") || $0.contains("○"))
        }
        #expect(lines.count >= min(rows - 6, 12))
        // Every state has a sign of its own, whatever the colours.
        if rows >= 40 { #expect(Set(screen.rows.compactMap { $0.first { "●◐▲○✕✗".contains($0) } }).count >= 4) }
        try await app.terminal.press("q")
        #expect(try await app.ended() == "0")
    }

    /// The one that can still be renewed and expires first, among fifty: found by its provider, renewed, and said.
    @Test func renewsAndFindsWhoTookATokenAndSignsOutEverywhere() async throws {
        let app = try await crowded(50, size: .init(120, 40))
        try await app.terminal.press("z")
        try await app.terminal.wait(for: "sorted by time left")
        try await app.terminal.press("/")
        try await app.terminal.type("sandbox")
        try await app.terminal.wait(for: "1 of 51")
        try await app.terminal.press("Enter")
        try await app.terminal.press("r")
        try await app.terminal.wait(for: "sandbox/ada is renewed")

        let taken = try await app.home.program("yett-main", ["token", "sandbox"], with: ["YETT_NO_AGENT": "1"]).run()
        #expect(taken.status == 0)
        try await app.terminal.press("q")
        #expect(try await app.ended() == "0")
        try await app.terminal.enter("clear; yett")
        try await app.terminal.wait { $0.isAlternate && $0.shows("yett › Sessions") }
        try await app.terminal.press("a")
        try await app.terminal.wait(for: "Activity")
        try await app.terminal.press("/")
        try await app.terminal.type("sandbox token")
        try await app.terminal.wait { $0.shows("sandbox/ada") && $0.shows("token taken") }
        try await app.terminal.press("Escape")
        try await app.terminal.press("Escape")

        try await app.terminal.press("O")
        try await app.terminal.wait(for: "The providers are told to end the tokens of 51 sessions")
        try await app.terminal.press("y")
        // The sandbox is told; of the others nobody can be reached, and that is said of each.
        try await app.terminal.wait(for: "did not end as they should")
        try await app.terminal.press("Enter")
        try await app.terminal.wait { !$0.shows("sandbox/ada") }
        try await app.terminal.press("q")
        #expect(try await app.ended() == "0")
        let status = try await app.home.program("yett-main", ["status"], with: ["YETT_NO_AGENT": "1"]).run()
        #expect(status.errors.contains("nobody is signed in"))
    }

    @Test func manySessionsAreMovedThrough() async throws {
        let app = try await crowded(400, size: .init(120, 40))
        try await app.terminal.press("End")
        try await app.terminal.wait { $0.shows("▸") && $0.shows("zurich/") }
        try await app.terminal.press("/")
        try await app.terminal.type("sandbox")
        try await app.terminal.wait { $0.shows("1 of 401") && $0.shows("sandbox/ada") }
        try await app.terminal.press("Escape")
        try await app.terminal.press("T")
        try await app.terminal.wait(for: "Timeline")
        try await app.terminal.press("q")
        #expect(try await app.ended() == "0")
    }
}
