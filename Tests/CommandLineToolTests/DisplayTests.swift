import Agent
import AuthModel
import OperatingSystem
import Sandbox
import TerminalApp
import TerminalUI
import TestSupport
import Testing

@testable import CommandLineTool

/// What commands print on a terminal: marks, colours, columns that fit. In a pipe, they print plain lines.
struct DisplayTests {
    private let world: CommandWorld

    init() throws { world = try CommandWorld() }

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
        let console = Self.console
        for width in [10, 80] {
            let line = StyledText.link(url).cut(to: width, .unicode)
            let text = console.rendered(line, on: display(width, links: true))
            #expect(text.hasPrefix("\u{1B}]8;;\(url.text)\u{1B}\\") && text.hasSuffix("\u{1B}]8;;\u{1B}\\"))
            #expect(plain(text).count == min(width, url.text.count))
        }
        // Text from outside is no link, and its own sequences are not passed on.
        let foreign = "\u{1B}]8;;https://evil.example\u{1B}\\click\u{1B}]8;;\u{1B}\\"
        #expect(!console.rendered(.address(foreign), on: display(80, links: true)).contains("\u{1B}"))
    }

    // MARK: Tables

    @Test func tableFitsInEveryWidth() {
        var table = TextTable("NAME", "ADDRESS", "ABOUT")
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

    @Test func numbersAreAtTheRight() {
        var table = TextTable("NAME", "LEFT", "ABOUT")
        table.numbers = [1]
        table.add(["a", "9 s", "x"])
        table.add(["b", "12 min 9 s", ""])
        #expect(table.rows(on: display(60)).map(\.text) == ["NAME        LEFT  ABOUT", "a            9 s  x", "b     12 min 9 s"])
        #expect(table.lines == ["NAME  LEFT        ABOUT", "a     9 s         x", "b     12 min 9 s"])
    }

    @Test func narrowTerminalLeavesOutWhatMattersLeast() {
        var table = TextTable("NAME", "LEFT", "RENEWS", "SCOPES")
        (table.numbers, table.dispensable) = ([1], [3, 2])
        table.add(["work/ada@example.org", "12 min 9 s", "yes", "openid profile email"])
        func header(_ columns: Int) -> String? { table.rows(on: display(columns)).first?.text }
        #expect(header(80)?.contains("SCOPES") == true)
        #expect(table.rows(on: display(54)).last?.text == "work/ada@example.org  12 min 9 s  yes     openid prof…")
        #expect(header(42)?.hasSuffix("RENEWS") == true && header(39)?.hasSuffix("LEFT") == true)
        // A number is whole as long as a name can be cut.
        #expect(table.rows(on: display(25)).last?.text == "work/ada@exa…  12 min 9 s")
    }

    @Test func foldedCellContinuesInItsColumn() {
        var table = TextTable("TIME", "", "WHAT")
        table.folding = 2
        table.add(["10:00", "·", "token issued to kubectl"])
        table.add(["11:00", "✓", "renewed"])
        #expect(
            table.entries(on: display(22)).map { $0.map(\.text) } == [
                ["TIME      WHAT"], ["10:00  ·  token issued", "          to kubectl"], ["11:00  ✓  renewed"],
            ])
        #expect(table.rows(on: display(80)).count == 3)
        table.omitted = [1]
        #expect(table.rows(on: display(80)).first?.text == "TIME   WHAT")
    }

    // MARK: Folded lines

    @Test func linesAreFoldedAtSpacesOnly() {
        let text = " the server 千尋 sent /a/path/that/is/longer to us"
        let line = StyledText("yett: ", .muted) + StyledText("error:", .danger) + StyledText(text)
        for columns in 1...80 {
            let rows = line.folded(to: columns, indent: 6).map(\.text)
            #expect(rows.flatMap { $0.split(separator: " ") } == line.text.split(separator: " "), "\(columns)")
            for (index, row) in rows.enumerated() {
                let words = row.split(separator: " ")
                #expect(SafeText.width(of: row) <= columns || words.count == 1, "\(columns): \(row)")
                #expect(index == 0 || row.prefix { $0 == " " }.count == max(0, min(6, columns - 20)))
            }
        }
        let rows = line.folded(to: 31, indent: 6)
        #expect(
            rows.map(\.text) == ["yett: error: the server 千尋", "      sent", "      /a/path/that/is/longer to", "      us"])
        #expect(rows[0].parts.map(\.role) == [.muted, .danger, .text])
        let address = "https://id.example.org/" + String(repeating: "a", count: 60)
        #expect(StyledText("  open \(address)").folded(to: 40, indent: 2).map(\.text) == ["  open", "  " + address])
    }

    @Test func commandInAHintStaysOnOneRow() {
        let hint = StyledText.hint("set up a tool with: yett setup git HOST SESSION; see: yett help setup", columns: 50)
        #expect(hint.parts.filter { $0.role == .key }.map(\.text) == ["yett setup git HOST SESSION", "yett help setup"])
        #expect(hint.folded(to: 40).map(\.text) == ["set up a tool with:", "yett setup git HOST SESSION; see:", "yett help setup"])
        // One that is longer than a row is folded like other text.
        let narrow = StyledText.hint("run: yett setup git HOST SESSION", columns: 20)
        #expect(narrow.folded(to: 20).map(\.text) == ["run: yett setup git", "HOST SESSION"])
        let picture = StyledText("  ") + .picture("██ ██ ██")
        #expect(picture.folded(to: 4, indent: 2).map(\.text) == ["  ██ ██ ██"])
    }

    @Test func messagesAreFoldedOnATerminalOnly() async throws {
        let hint = "begin with: yett providers add URL, or try everything with: yett demo"
        let narrow = CommandWorld.User(hasTerminal: true, columns: 60)
        #expect(
            plain(await world.run("status", user: narrow).errors)
                == "not signed in\nyett: hint: begin with: yett providers add URL, or try\n            everything with: yett demo\n")
        #expect(await world.run("status").errors == "not signed in\nyett: hint: \(hint)\n")
        #expect(await world.run("status", "--plain", user: narrow).errors == "not signed in\nyett: hint: \(hint)\n")
        let user = CommandWorld.User(hasTerminal: true, columns: 60, lines: ["id", ""])
        let steps = plain(await world.run("providers", "add", "github", user: user).errors)
        #expect(steps.contains("\n  2. Enter http://127.0.0.1/callback as Authorization\n     callback URL: "), "\(steps)")
    }

    @Test func valuesAreBelowTheirNamesOnANarrowTerminal() {
        let pairs = [("issuer", "https://id.example.org"), ("device_authorization_endpoint", "https://id.example.org/device")]
        #expect(
            display(80).terms(pairs, isTrusted: true).map(\.text) == [
                "issuer                         https://id.example.org",
                "device_authorization_endpoint  https://id.example.org/device",
            ])
        #expect(
            display(50).terms(pairs, isTrusted: true).map(\.text) == [
                "issuer", "  https://id.example.org", "device_authorization_endpoint", "  https://id.example.org/device",
            ])
    }

    // MARK: Many sessions

    private static let now = Timestamp(milliseconds: 1_795_249_800_000)

    /// Sessions that are well, and before them in the alphabet's order some that have ended.
    private func list(_ count: Int, ended: Int) throws -> SessionList {
        let sessions = try (0..<count).map { index in
            let hasEnded = index >= count - ended
            return SessionSummary(
                name: try #require(SessionName("work/person\(1_000 + index)")), issuer: nil, subject: nil, recordedState: .signedIn,
                accessExpiresAt: Self.now + .seconds(hasEnded ? -7200 : 3000), refreshExpiresAt: nil, isRenewable: !hasEnded, scopes: [],
                grantedAt: Self.now, receivedAt: Self.now)
        }
        return SessionList(sessions: sessions, now: Self.now)
    }

    @Test(arguments: [1, 2, 3, 5, 6, 22, 200], [0, 3])
    func watchedListFitsAndCountsTheRest(limit: Int, ended: Int) throws {
        let rows = try list(108, ended: ended).rows(on: display(80), atMost: limit).map(\.text)
        #expect(rows.count <= limit)
        let shown = rows.count { $0.contains("work/person") }
        #expect(shown == 108 ? !rows.contains { $0.contains("more") } : rows.last == "and \(108 - shown) more")
        #expect(limit < 3 || ended == 0 || rows.first == "3 of 108 sessions need action")
        #expect(limit < 6 || ended == 0 || rows[1...3].allSatisfy { $0.hasPrefix("▲  work/person11") && $0.contains("2 h ago") })
    }

    /// The groups are those of the app: a session that ends soon works until then, and `yett login` would refuse to sign in there.
    @Test func sessionThatEndsSoonIsFirstAmongThoseThatWork() throws {
        let times: [(name: String, left: Int)] = [("ada", 3000), ("eve", 8000), ("kim", 200), ("lea", -60), ("tim", 40)]
        let sessions = try times.map { name, left in
            SessionSummary(
                name: try #require(SessionName("work/\(name)")), issuer: nil, subject: nil, recordedState: .signedIn,
                accessExpiresAt: Self.now + .seconds(left), refreshExpiresAt: nil, isRenewable: name == "ada", scopes: [],
                grantedAt: Self.now, receivedAt: Self.now)
        }
        let rows = SessionList(sessions: sessions, now: Self.now).rows(on: display(100))
        let names = rows.compactMap { row in times.map(\.name).first { row.text.contains("  work/\($0) ") } }
        #expect(rows.first?.text == "1 of 5 sessions needs action" && names == ["lea", "tim", "kim", "eve", "ada"])
        #expect(rows.count { $0.text.contains("yett login") } == 1)
        let overview = SessionOverview(sessions, now: Self.now) { $0.shownState(at: Self.now) }
        #expect(overview.needsAction == 1 && overview.ending == 3)
        let warned = rows.filter { $0.parts.contains { $0.role == .warning && $0.text.contains(#/\d/#) } }
        #expect(warned.count == 2, "the times left of less than five minutes")
    }

    @Test func longListNamesAtItsEndWhatLeftTheScreen() throws {
        #expect(try list(37, ended: 2).rows(on: display(80)).last?.text == "2 of 37 sessions need action: see the top of the list")
        #expect(try list(12, ended: 2).rows(on: display(80)).last?.text.contains("work/person") == true)
        #expect(try list(37, ended: 0).rows(on: display(80)).last?.text.contains("work/person") == true)
    }

    // MARK: Commands

    @Test func errorsHaveColoursOnATerminalOnly() async throws {
        let plainText = "yett: error: unknown provider 'work'\n"
        #expect(await world.run("login", "work").errors.hasPrefix(plainText))
        let shown = await world.run("login", "work", user: Self.terminal).errors
        #expect(shown.contains("\u{1B}[38;5;160merror:\u{1B}[0m") && plain(shown).hasPrefix(plainText))
        #expect(await world.run("login", "work", user: Self.terminal, with: ["NO_COLOR": "1"]).errors == plain(shown))
        #expect(await world.run("nonsense", user: Self.terminal).errors.contains("\u{1B}[38;5;160merror:\u{1B}[0m"))
    }

    @Test func renewingShowsFirstWhatFailed() async throws {
        try await withSession { server, world in
            await server.autoApprove(as: "grace")
            try await world.signIn()
            let all = await world.run("renew", "--all", user: Self.terminal)
            let lines = plain(all.output).split(separator: "\n")
            let isRenewed = lines.map { $0.hasPrefix("✓ sandbox/") && $0.contains("renewed, ") && $0.hasSuffix(" left") }
            #expect(isRenewed == [true, true], "\(lines)")
            #expect(plain(all.errors).contains("renewing 2 of 2  sandbox/grace") && !all.errors.contains("\n"))
            let pipe = await world.run("renew", "--all")
            #expect(pipe.output.hasPrefix("SESSION") && pipe.errors == "")
            await server.set(try FaultSet(names: ["refresh-invalid-grant"]))
            let failed = await world.run("renew", "--all", user: Self.terminal, exits: 6)
            #expect(plain(failed.output).hasPrefix("✗ sandbox/ada: ") && plain(failed.output).contains("\n✗ sandbox/grace: "))
            #expect(!failed.errors.contains("error:"))
        }
    }

    @Test func signingOutIsOneLine() async throws {
        try await withSession { server, world in
            let result = await world.run("logout", user: Self.terminal)
            #expect(plain(result.output) == "✓ sandbox/ada: signed out\n")
            try await world.signIn()
            await server.set(try FaultSet(names: ["logout-revocation-401"]))
            let failed = await world.run("logout", user: Self.terminal, exits: 7)
            let lines = plain(failed.output).split(separator: "\n")
            #expect(lines.first == "! sandbox/ada: forgotten here; not every step succeeded at the provider")
            #expect(lines.contains { $0.hasPrefix("  ✗ revoke the refresh token") } && lines.contains { $0.hasPrefix("  ✓ forget here") })
        }
    }

    @Test func activityIsNoLongerThanTheTerminal() async throws {
        let log = CommandContext(edges: world.edges(into: StreamRecorder(told: nil)), options: GlobalOptions(), console: Self.console)
            .activityLog()
        for index in 0..<40 {
            let session = try #require(SessionName("work/person\(index)"))
            log.append(ActivityRecord(Activity(at: Self.now, kind: .renewed, session: session, message: "renewal.done")))
        }
        let lines = plain(await world.run("activity", user: Self.terminal).output).split(separator: "\n")
        #expect(lines.count == 23 && lines[1].contains("person39") && lines.last == "and 19 more: add --limit 40")
        for whole in [await world.run("activity", "--limit", "40", user: Self.terminal).output, await world.run("activity").output] {
            #expect(whole.split(separator: "\n").count == 41)
        }
    }

    private static let console = Console(
        streams: Streams(
            isInputTerminal: false, isAnswerTerminal: true, isDiagnosticsTerminal: true, write: { _, _ in }, line: { nil },
            hiddenLine: { _ in nil }), environment: ["LANG": "C.UTF-8"])

    @Test func statusInAPipeAndWithoutCursorMovementIsPlain() async throws {
        try await withSession { _, world in
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
        try await withSession { server, world in
            await server.autoApprove(as: "grace")
            try await world.signIn()
            let healthy = plain(await world.run("status", user: Self.terminal).output)
            #expect(!healthy.contains("action") && healthy.contains("●  sandbox/ada    signed in  ") && healthy.contains("  ━"))
            // The names are as bold as in every other list, and the marks are the app's.
            #expect(await world.run("status", user: Self.terminal).output.contains("\u{1B}[1msandbox/ada\u{1B}[0m"))
            #expect(plain(await world.run("providers", user: Self.terminal).output).contains("  ada, grace"))
            await server.set(try FaultSet(names: ["refresh-invalid-grant"]))
            #expect(await world.run("renew", "sandbox/grace").status == 6)
            let lines = plain(await world.run("status", user: Self.terminal).output).split(separator: "\n")
            #expect(lines.first == "1 of 2 sessions needs action")
            #expect(lines[1].hasPrefix("▲  sandbox/grace  sign in again"))
            #expect(lines.contains { $0.contains("yett login sandbox/grace") })
            #expect(lines.last?.hasPrefix("●  sandbox/ada ") == true)
            #expect(lines.allSatisfy { $0.count <= 80 })
        }
    }

    @Test func accountsNameTheDefaultOneAmongSeveral() async throws {
        try await withSession { server, world in
            #expect(!plain(await world.run("accounts", user: Self.terminal).output).contains("default"))
            await server.autoApprove(as: "grace")
            try await world.signIn()
            #expect(await world.run("switch", "sandbox", "grace").status == 0)
            let lines = plain(await world.run("accounts", user: Self.terminal).output).split(separator: "\n")
            #expect(lines.contains { $0.hasPrefix("●  sandbox/grace  signed in  default  ") }, "\(lines)")
            #expect(lines.contains { $0.hasPrefix("●  sandbox/ada    signed in ") && !$0.contains("default") })
            #expect(await world.run("accounts").output.contains("*        sandbox/grace"))
        }
    }

    @Test func doctorFoldsWhatIsWell() async throws {
        try await withSession { server, world in
            await server.set(try FaultSet(names: ["refresh-invalid-grant"]))
            await world.run("renew")
            let folded = plain(await world.run("doctor", user: Self.terminal).output)
            #expect(folded.contains("! session") && folded.contains("sandbox/ada: sign in again"))
            #expect(folded.contains("checks passed (yett, "))
            #expect(!folded.contains("libcurl/"))
            #expect(folded.split(separator: "\n").first?.contains(" warning") == true)
            // The user's time, as everywhere else.
            let clock = await world.run("doctor").output.split(separator: "\n").first { $0.contains("clock ") }
            #expect(clock?.contains(#/ \d\d:\d\d:\d\d [A-Z+-]/#) == true && clock?.contains("Z,") == false)
            let all = plain(await world.run("doctor", "--all", user: Self.terminal).output)
            #expect(all.contains("✓ libcurl") && all.contains("libcurl/"))
            #expect(all.split(separator: "\n").allSatisfy { $0.count <= 80 })
        }
    }

    @Test func whatWasNotCheckedIsNotAmongWhatPassed() async throws {
        let settings = "kind = \"aws-sso\"\nstart_url = \"https://example.awsapps.com/start\"\nregion = \"eu-central-1\"\n"
        let world = try CommandWorld.configured("[providers.aws]\n" + settings + "[providers.lab]\n" + settings)
        let folded = plain(await world.run("doctor", user: Self.terminal).output)
        let passed = try #require(folded.firstMatch(of: #/ passed \(([^)]+)\)/#)).output.1
        #expect(!passed.contains("provider") && !passed.contains("clock"), "\(folded)")
        #expect(folded.contains(#/\n· \d not checked \((keyring, )?clock; provider ×2: aws, lab\)\./#), "\(folded)")
        let all = plain(await world.run("doctor", "--all", user: Self.terminal).output)
        #expect(all.contains("\n· provider      aws: not checked: its endpoints are set"), "\(all)")
        #expect(await world.run("doctor").output.contains("-    provider      aws: not checked"))
        let check = plain(await world.run("providers", "check", user: Self.terminal).output)
        #expect(check.hasPrefix("· aws  not checked: "))
    }

    @Test func emptyListsSayHowToBegin() async throws {
        for arguments in [["providers"], ["providers", "check"], ["config", "check"], ["activity"]] {
            let result = await world.run(arguments, user: Self.terminal)
            #expect(result.status == 0 && result.output == "" && plain(result.errors).contains("\nyett: hint: "), "\(arguments)")
        }
    }

    @Test func doneWorkHasAMarkOnATerminal() async throws {
        let shown = await world.run("help", "--man-pages", world.home + "/man", user: Self.terminal).errors
        #expect(plain(shown).hasPrefix("✓ ") && plain(shown).contains(" pages written to"))
        #expect(!(await world.run("help", "--man-pages", world.home + "/man").errors.contains("✓")))
        try world.configure("[ui]\ntheme = \"plain\"\n")
        #expect(plain(await world.run("config", "check", user: Self.terminal).output) == "✓ \(world.configurationPath): valid\n")
        let themes = await world.run("theme", user: Self.terminal).output
        #expect(plain(themes).contains("\n✓  plain") && themes.contains("●"))
        #expect(!(await world.run("theme", user: Self.terminal, with: ["NO_COLOR": "1"]).output.contains("●")))
    }

    @Test func timesOfATokenAreReadable() async throws {
        try await withSession { _, world in
            let shown = plain(await world.run("inspect", user: Self.terminal).output)
            #expect(shown.contains(#/"exp": \d+,  .+, in \d+ \w+\n/#), "\(shown)")
            #expect(!(await world.run("inspect").output.contains(#/"exp": \d+,  /#)))
        }
    }

    @Test func loginIsOneLineWithoutTheURL() async throws {
        try await withSandbox { server, world in
            let result = await world.run("login", user: Self.terminal, exits: 0)
            #expect(!result.errors.contains("/authorize"))
            #expect(!result.errors.contains("\n"), "\(result.errors)")
            #expect(plain(result.output).hasPrefix("✓ Signed in as ada at sandbox (127.0.0.1) for "))
            #expect(plain(result.output).hasSuffix(", renewed automatically\n"))
        }
    }

    @Test(arguments: [["login", "--no-open", "--timeout", "1"], ["login", "--timeout", "1"]])
    func loginPrintsTheURLIfNoBrowserStarted(arguments: [String]) async throws {
        try await withSandbox { server, world in
            let time = ManualTime(now: world.time.now)
            let result = await world.run(
                arguments, browser: .isMissing, user: Self.terminal, time: time,
                told: { if $0.contains("paste the full URL") { time.advance(by: .seconds(1)) } }, exits: 4)
            let shown = plain(result.errors)
            #expect(shown.contains("  Open this URL in your browser:\n") && shown.contains("  \(server.issuer)/authorize?"), "\(shown)")
            #expect(shown.contains("  Or paste the full URL that your"), "\(shown)")
            #expect(shown.contains("\r\n"), "an empty line replaces that of the spinner: \(shown)")
            #expect(!shown.contains("open the URL yourself"))
        }
    }

    @Test func commandInHelpContinuesAfterABackslash() {
        let command = "yett providers add https://id.example.org --name work --client-id YOUR_CLIENT"
        let setting = "key = 'a long value of a setting that no terminal of sixty columns has room for'"
        let page = HelpPage(
            name: "x", section: .commands, summary: "s", blocks: [], examples: [command: "Adds a provider.", setting: "Sets it."])
        let rows = page.rows(on: display(60)).map(\.text)
        #expect(rows.contains("    yett providers add https://id.example.org --name work \\"), "\(rows)")
        #expect(rows.contains("      --client-id YOUR_CLIENT"))
        #expect(rows.contains("    " + setting))
        #expect(page.rows(on: display(100)).map(\.text).contains("    " + command))
        #expect(page.text(width: 60).contains("    " + command))
    }

    // MARK: Watching

    @Test func frameReplacesTheFormerOneAtOnce() {
        #expect(
            String(decoding: WatchScreen.frame(["one", "two"]), as: UTF8.self)
                == "\u{1B}[?2026h\u{1B}[?25l\r\u{1B}[Kone\r\n\u{1B}[Jtwo\r\u{1B}[1A\u{1B}[?2026l")
    }

    @Test(arguments: [(Interruption.interrupt, Int32(3)), (.terminate, 143)])
    func watchEndsAsOtherCommandsDo(interruption: Interruption, status: Int32) async throws {
        let (interruptions, interrupt) = AsyncStream.makeStream(of: Interruption.self)
        interrupt.yield(interruption)
        let result = await world.run("status", "--watch", interruptions: interruptions)
        #expect(result.status == status)
        #expect(result.output == "not signed in\n" && result.errors == "")
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

    @Test(
        arguments: [
            1, 999, 1_000, 59_999, 60_000, 60_001, 3_599_999, 3_600_000, 3_660_250, 86_399_999, 86_400_000, 90_000_500,
        ] as [Int64])
    func countdownWaitsForTheNextText(left: Int64) throws {
        let now = Self.now
        let session = SessionSummary(
            name: try #require(SessionName("work/ada")), issuer: nil, subject: nil, recordedState: .signedIn,
            accessExpiresAt: now + .milliseconds(left), refreshExpiresAt: nil, isRenewable: false, scopes: [], grantedAt: now,
            receivedAt: now)
        func text(after wait: Duration) -> String { SessionList(sessions: [session], now: now + wait).left(session) }
        let wait = try #require(session.untilTextChanges(at: now))
        #expect(text(after: wait) != text(after: .zero) && text(after: wait - .milliseconds(1)) == text(after: .zero))
        let stateWait = try #require(session.untilStateChanges(at: now))
        #expect(session.state(at: now + stateWait) != session.state(at: now))
        #expect(session.state(at: now + stateWait - .milliseconds(1)) == session.state(at: now))
        #expect(session.untilTextChanges(at: now + .milliseconds(left)) == nil)
        #expect(session.untilStateChanges(at: now + .milliseconds(left)) == nil)
    }

    @Test(arguments: [(nil as Int?, 120, nil as String?), (1000, 60, nil), (1000, 120, "━━━━━━━━━━━━━━━━━━━━━━━━──────")])
    func transferHasABarWhereItFits(total: Int?, columns: Int, bar: String?) {
        let shown = TransferProgress.bar(800, of: total, after: .seconds(8), on: display(columns))
        #expect(shown?.text == bar.map { $0 + " 80 %, 2 s left, " })
    }
}
