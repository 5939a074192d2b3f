import ProcessHarness
import TestSupport
import Testing

/// The most frequent tasks with many sessions, in the built program.
@Suite(.startsPrograms, .enabled(if: Product.installed("tmux") != nil, "tmux is not installed"))
struct ManySessionsTests {
    private static let alone: [String: String?] = ["YETT_NO_AGENT": "1"]

    /// A home with `count` sessions in all states, and one at the sandbox that is valid for five minutes.
    private func crowded(_ count: Int, size: TmuxTerminal.Size) async throws -> AppTerminal {
        let app = try await AppTerminal(size: size, with: Self.alone, sandbox: ["--auto-approve", "ada"])
        let configuration = String(decoding: try #require(app.home.read("config/yett/config.toml")), as: UTF8.self)
        try app.home.configure(configuration + CrowdedHome.configuration)
        try await CrowdedHome.fill(app.home, with: count)
        let changes = Self.alone.merging(["BROWSER": Browser.following]) { $1 }
        let login = try await app.home.program("yett-main", ["login", "sandbox"], with: changes).run()
        #expect(login.status == 0, "\(login)")
        try await open(app)
        return app
    }

    private func open(_ app: AppTerminal) async throws {
        try await app.terminal.enter("clear; yett")
        // Ten thousand sessions take a debug build a few seconds.
        try await app.terminal.wait(within: .seconds(300)) { $0.isAlternate && $0.shows("yett › Sessions") && $0.shows("? help") }
    }

    private func leave(_ app: AppTerminal) async throws {
        try await app.terminal.press("q")
        #expect(try await app.ended() == "0")
    }

    /// Returns the state symbols of the list's rows: rows with one symbol where the symbols stand.
    private static func states(_ screen: TerminalScreen) -> [Character] {
        screen.rows.compactMap { row in
            let signs = row.prefix(6).filter { "●◐○▲✕!".contains($0) }
            return signs.count == 1 ? signs.first : nil
        }
    }

    /// Returns the column in which a text begins, as the terminal counts: wide characters take two.
    private static func column(of text: String, in row: String) -> Int? {
        row.firstRange(of: text).map { place in
            row[..<place.lowerBound].unicodeScalars.reduce(0) { cells, scalar in
                switch scalar.value {
                case 0x300...0x36F: cells
                case 0x4E00...0x9FFF, 0x1F300...0x1FAFF: cells + 2
                default: cells + 1
                }
            }
        }
    }

    @Test(arguments: [(80, 24, 15, 3), (120, 40, 26, 5), (200, 60, 34, 5), (40, 10, 4, 1)])
    func fiftySessionsInAllStates(columns: Int, rows: Int, shown: Int, states: Int) async throws {
        let app = try await crowded(50, size: .init(columns, rows))
        let screen = try await app.terminal.wait { Self.states($0).count >= shown }
        #expect(screen.shows("need action"), "what is urgent is said at every size")
        // What needs action is first: error, revoked, sign in again. Then the healthy ones: signed in or expiring, expired.
        #expect(Set(Self.states(screen)).count >= states)
        #expect(screen.rows.allSatisfy { !$0.contains("\u{fffd}") })
        // Accounts of one provider can be told apart, however long the provider's name is.
        #expect(screen.rows.contains { $0.contains("…/") } || columns >= 200)
        try await leave(app)
    }

    /// Right-to-left, wide and combined characters do not shift the columns behind them.
    @Test func namesInAllScriptsKeepTheColumnsAligned() async throws {
        let app = try await crowded(30, size: .init(200, 60))
        let screen = try await app.terminal.wait { Self.states($0).count >= 31 && $0.shows("24 h") }
        let track = String(repeating: "·", count: 8)
        let rows = screen.rows.filter { $0.contains(track) }
        #expect(rows.count >= 30)
        #expect(Set(rows.compactMap { Self.column(of: track, in: $0) }).count == 1)
        for name in ["山田花子", "שלום", "🚀 marie", "e\u{301}mile"] { #expect(screen.shows(name), "\(name)") }
        try await leave(app)
    }

    @Test func renewsTheSessionThatExpiresFirst() async throws {
        let app = try await crowded(50, size: .init(120, 40))
        try await app.terminal.press("z")
        try await app.terminal.wait(for: "sorted by time left")
        try await app.terminal.press("/")
        try await app.terminal.type("sandbox")
        try await app.terminal.wait(for: "1 of 51")
        try await app.terminal.press("Enter")
        try await app.terminal.wait { !$0.shows("apply filter") }
        try await app.terminal.press("r")
        try await app.terminal.wait(for: "renewed sandbox/ada")
        try await app.terminal.press("T")
        try await app.terminal.wait { $0.shows("Timeline") && $0.shows("refresh token ends") }
        try await leave(app)
    }

    @Test func activityShowsWhichProgramUsedAToken() async throws {
        let app = try await crowded(50, size: .init(120, 40))
        try await leave(app)
        let taken = try await app.home.program("yett-main", ["token", "sandbox"], with: Self.alone).run()
        #expect(taken.status == 0)
        try await open(app)
        try await app.terminal.press("a")
        // The program, and beside it the session that it used.
        try await app.terminal.wait { $0.shows("Activity") && $0.shows("1 token") && $0.shows("yett token") && $0.shows("sandbox/ada") }
        try await app.terminal.press("p")
        try await app.terminal.wait(for: "token issued")
        try await app.terminal.press("/")
        try await app.terminal.type("issued")
        try await app.terminal.wait { screen in
            screen.shows("1 of ") && screen.shows("token issued to yett token")
                && screen.rows.contains { $0.contains("sandbox/ada") && $0.contains("yett token") }
        }
        // Enter keeps the filter; a second Enter opens the session.
        try await app.terminal.press("Enter")
        try await app.terminal.wait { !$0.shows("apply filter") }
        try await app.terminal.press("Enter")
        try await app.terminal.wait { $0.shows("Ada Lovelace") && $0.shows("Activity › sandbox/ada") }
        try await leave(app)
    }

    @Test func signsOutEverywhere() async throws {
        let app = try await crowded(50, size: .init(120, 40))
        try await app.terminal.press("O")
        try await app.terminal.wait(for: "Revokes the tokens of 51 sessions at their providers")
        try await app.terminal.press("y")
        // The sandbox is told; the other providers cannot be reached, and the report says so for each.
        let report = try await app.terminal.wait(within: .seconds(300)) { $0.shows("Could not fully sign out of") }
        // The card breaks the sentence.
        let rows = report.rows
        #expect(rows.indices.dropLast().contains { rows[$0].contains("it will be ") && rows[$0 + 1].contains("retried.") })
        #expect(!report.shows("sandbox/ada"))
        try await app.terminal.press("Enter")
        try await app.terminal.wait { !$0.shows("Could not fully sign out of") && $0.shows("Home") }
        try await leave(app)
        let status = try await app.home.program("yett-main", ["status"], with: Self.alone).run()
        #expect(status.errors.contains("not signed in"))
    }

    @Test func tenThousandSessionsCanBeScrolledFilteredGroupedAndOpened() async throws {
        let app = try await crowded(10_000, size: .init(120, 40))
        try await app.terminal.press("End")
        try await app.terminal.wait { screen in screen.rows.contains { $0.contains("▸") && $0.contains("zurich/") } }
        try await app.terminal.press("p")
        try await app.terminal.wait(for: "grouped by provider")
        try await app.terminal.press("/")
        try await app.terminal.type("sandbox")
        try await app.terminal.wait(within: .seconds(300)) { $0.shows("1 of 10001") && $0.shows("sandbox/ada") }
        try await app.terminal.press("Enter")
        try await app.terminal.wait { !$0.shows("apply filter") }
        try await app.terminal.press("Enter")
        try await app.terminal.wait { $0.shows("Ada Lovelace") && $0.shows("Sessions › sandbox/ada") }
        try await app.terminal.press("Escape")
        // The details beside the list show the user's name too.
        try await app.terminal.wait { !$0.shows("Sessions › sandbox/ada") }
        try await app.terminal.press("Escape")
        try await app.terminal.wait { !$0.shows("/ sandbox") && $0.shows("need action") }
        try await app.terminal.press("T")
        try await app.terminal.wait { $0.shows("Timeline") && $0.shows("sandbox/ada") }
        try await leave(app)
    }
}
