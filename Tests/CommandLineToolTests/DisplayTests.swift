import AuthModel
import Sandbox
import TerminalUI
import Testing

@testable import CommandLineTool

/// What commands print on a terminal: marks, colours, columns that fit. In a pipe, they print plain lines.
struct DisplayTests {
    private static let terminal = CommandWorld.User(hasTerminal: true, columns: 80)

    private func display(_ columns: Int, paint: Paint = .none, links: Bool = false) -> Display {
        Display(columns: columns, rows: 24, paint: paint, glyphs: .unicode, showsLinks: links)
    }

    /// Removes the escape sequences of styles and links.
    private func plain(_ text: String) -> String {
        text.replacing(/\u{1B}\[[0-9;?]*[a-zA-Z]/, with: "").replacing(/\u{1B}\]8;;[^\u{1B}]*\u{1B}\\/, with: "")
    }

    // MARK: Colours and links

    @Test(arguments: [0, 255])
    func neutralColoursAreLegibleOnBlackAndOnWhite(ground: UInt8) {
        let ground = Color(red: ground, green: ground, blue: ground)
        for (role, number) in Paint.neutralColors {
            #expect(IndexedPalette.color(number).contrast(with: ground) > 3.8, "\(role)")
        }
    }

    @Test(arguments: [
        (["TERM": "xterm-kitty"], true), (["TERM": "xterm-256color", "VTE_VERSION": "7600"], true),
        (["TERM": "tmux-256color", "TERM_PROGRAM": "tmux", "TERM_PROGRAM_VERSION": "3.4"], true),
        (["TERM": "tmux-256color", "TERM_PROGRAM": "tmux", "TERM_PROGRAM_VERSION": "3.3a", "VTE_VERSION": "7600"], false),
        (["TERM": "screen-256color", "KITTY_WINDOW_ID": "1"], false), (["TERM": "xterm-256color"], false), (["TERM": "linux"], false),
        ([:], false),
    ])
    func onlyKnownTerminalsGetLinks(environment: [String: String], isKnown: Bool) {
        #expect(LinkSupport.isKnown(in: environment) == isKnown)
    }

    @Test func linkHasItsWholeAddressAtAnyWidth() throws {
        let url = try #require(WebURL("https://id.example.org/a/long/path?with=a&query=1"))
        let streams = Streams(
            isInputTerminal: false, isAnswerTerminal: true, isDiagnosticsTerminal: true, write: { _, _ in }, line: { nil },
            hiddenLine: { _ in nil })
        let console = Console(streams: streams, environment: ["LANG": "C.UTF-8"])
        for width in [10, 80] {
            let line = StyledText.link(url).cut(to: width, .unicode)
            let text = console.dressed(line, on: display(width, links: true))
            #expect(text.hasPrefix("\u{1B}]8;;\(url.text)\u{1B}\\") && text.hasSuffix("\u{1B}]8;;\u{1B}\\"))
            #expect(plain(text).count == min(width, url.text.count))
        }
        // Text from outside is no link, and its own sequences are not passed on.
        let foreign = "\u{1B}]8;;https://evil.example\u{1B}\\click\u{1B}]8;;\u{1B}\\"
        #expect(!console.dressed(.address(foreign), on: display(80, links: true)).contains("\u{1B}"))
    }

    // MARK: Tables

    @Test func tableFitsInEveryWidth() {
        var table = Table("NAME", "ADDRESS", "ABOUT")
        table.add(["work/千尋", "https://id.example.org/realms/main", "a long description of the service"])
        table.add(["a", "b", ""])
        for width in 1...100 {
            for row in table.rows(on: display(width)) { #expect(row.width <= width, "\(width): \(row.text)") }
        }
        let rows = table.rows(on: display(60)).map(\.text)
        #expect(rows[1].hasPrefix("work/千尋  https://id.example.org"))
        #expect(rows[1].contains("…"))
        #expect(table.rows(on: display(100)).map(\.text) == table.lines)
    }

    // MARK: Commands

    @Test func statusInAPipeAndWithoutCursorMovementIsPlain() async throws {
        try await withSandbox { _, world in
            try await world.signIn()
            let pipe = await world.run("accounts")
            #expect(pipe.output.contains("signed in") && !pipe.output.contains("\u{1B}"))
            #expect(await world.run("accounts", user: Self.terminal, with: ["TERM": "dumb"]).output == pipe.output)
            #expect(await world.run("accounts", "--plain", user: Self.terminal).output == pipe.output)
            let shown = await world.run("accounts", user: Self.terminal)
            #expect(shown.output.contains("\u{1B}[") && plain(shown.output).contains("signed in"))
            let colourless = await world.run("accounts", user: Self.terminal, with: ["NO_COLOR": "1"])
            #expect(colourless.output == plain(shown.output))
        }
    }

    @Test func statusShowsFirstWhatNeedsAction() async throws {
        try await withSandbox { server, world in
            try await world.signIn()
            await server.autoApprove(as: "grace")
            try await world.signIn()
            let healthy = plain(await world.run("status", user: Self.terminal).output)
            #expect(!healthy.contains("action") && healthy.contains("✓  sandbox/ada    signed in  "))
            await server.set(try FaultSet(names: ["refresh-invalid-grant"]))
            #expect(await world.run("renew", "sandbox/grace").status == 6)
            let lines = plain(await world.run("status", user: Self.terminal).output).split(separator: "\n")
            #expect(lines.first == "1 session needs action")
            #expect(lines[1].hasPrefix("✗  sandbox/grace  sign in again"))
            #expect(lines.contains { $0.contains("yett login sandbox/grace") })
            #expect(lines.last?.hasPrefix("✓  sandbox/ada ") == true)
            #expect(lines.allSatisfy { $0.count <= 80 })
        }
    }

    @Test func doctorFoldsWhatIsWell() async throws {
        try await withSandbox { server, world in
            try await world.signIn()
            await server.set(try FaultSet(names: ["refresh-invalid-grant"]))
            await world.run("renew")
            let folded = plain(await world.run("doctor", user: Self.terminal).output)
            #expect(folded.contains("! session") && folded.contains("sandbox/ada: sign in again"))
            #expect(folded.contains("checks passed (yett, "))
            #expect(!folded.contains("libcurl/"))
            let all = plain(await world.run("doctor", "--all", user: Self.terminal).output)
            #expect(all.contains("✓ libcurl") && all.contains("libcurl/"))
            #expect(all.split(separator: "\n").allSatisfy { $0.count <= 80 })
        }
    }

    @Test func loginIsOneLineWithoutTheURL() async throws {
        try await withSandbox { server, world in
            let result = await world.run("login", user: Self.terminal)
            #expect(result.status == 0, "\(result.errors)")
            #expect(!result.errors.contains("/authorize"))
            #expect(!result.errors.contains("\n"), "\(result.errors)")
            #expect(plain(result.output).hasPrefix("✓ Signed in as ada at sandbox (127.0.0.1) for "))
            #expect(plain(result.output).hasSuffix(", renewed automatically\n"))
        }
    }

    @Test(arguments: [["login", "--no-open", "--timeout", "1"], ["login", "--timeout", "1"]])
    func loginPrintsTheURLIfNoBrowserStarted(arguments: [String]) async throws {
        try await withSandbox { server, world in
            let result = await world.run(arguments, browser: .isMissing, user: Self.terminal)
            #expect(result.status == 4)
            #expect(plain(result.errors).contains("  \(server.issuer)/authorize?"))
            #expect(plain(result.errors).contains("paste the full URL"))
        }
    }

    // MARK: Watching

    @Test func frameReplacesTheFormerOneAtOnce() {
        #expect(
            String(decoding: WatchScreen.frame(["one", "two"]), as: UTF8.self)
                == "\u{1B}[?2026h\r\u{1B}[Jone\r\ntwo\r\u{1B}[1A\u{1B}[?2026l")
    }

    @Test func manySessionsCountDownTogether() throws {
        let now = try #require(Timestamp("2026-11-27T10:00:00Z")) + .milliseconds(250)
        let sessions = try (0..<37).map { index in
            SessionSummary(
                name: try #require(SessionName("work/user\(index)")), issuer: nil, subject: nil, recordedState: .signedIn,
                accessExpiresAt: now + .seconds(100) + .milliseconds(27 * index), refreshExpiresAt: nil, isRenewable: false,
                scopes: ScopeSet([]), grantedAt: now, receivedAt: now)
        }
        #expect(StatusWatch.untilNextChange(of: sessions, at: now, countsDown: true) == .milliseconds(750))
        #expect(StatusWatch.untilNextChange(of: [], at: now, countsDown: true) == nil)
    }

    @Test(arguments: [(nil as Int?, 120, nil as String?), (1000, 60, nil), (1000, 120, "━━━━━━━━━━━━━━━━━━━━━━━━──────")])
    func transferHasABarWhereItFits(total: Int?, columns: Int, bar: String?) {
        let shown = TransferProgress.bar(800, of: total, after: .seconds(8), on: display(columns))
        #expect(shown?.text == bar.map { $0 + " 80 %, 2 s left, " })
    }
}
