import Glibc
import ProcessHarness
import TestSupport
import Testing

/// The app in terminals with few features, and without a terminal.
@Suite(.startsPrograms, .enabled(if: Product.installed("tmux") != nil, "tmux is not installed"))
struct FallbackTests {
    @Test func withoutATerminalItPrintsTheStatus() async throws {
        let home = try TemporaryHome()
        let result = try await home.yett()
        let hint = "yett: hint: begin with: yett providers add URL, or try everything with: yett demo\n"
        #expect(result == ProgramResult(ending: .exited(0), output: "", errors: "not signed in\n" + hint))
    }

    @Test func launcherRunsTheProgram() async throws {
        let home = try TemporaryHome()
        let direct = try await home.yett("--version")
        let launched = try await home.program("yett", ["--version"]).run()
        #expect(direct.status == 0)
        #expect(!direct.output.isEmpty)
        #expect(launched == direct)
    }

    @Test func dumbTerminalGetsPlainPrompts() async throws {
        let app = try await AppTerminal(type: "dumb")
        try await app.terminal.enter("yett")
        let screen = try await app.terminal.wait { $0.shows("Plain prompts") && $0.shows("sandbox") }
        #expect(screen.shows("Keys: "))
        #expect(!screen.isAlternate)
        try await app.terminal.enter("q")
        // With the output in a pipe, the program asks nothing.
        #expect(try await app.terminal.run("yett | cat").contains("not signed in"))
    }

    @Test func unknownTerminalGetsPlainTextOrAClearError() async throws {
        let app = try await AppTerminal(type: "no-such-terminal")
        let lines = try await app.terminal.run("yett; echo status=$?")
        #expect(lines.contains { $0.hasPrefix("status=") })
        #expect(lines.contains { $0 == "not signed in" || $0.hasPrefix("yett: error: ") })
    }

    /// A terminal of a known family, whose description this machine lacks, is used like xterm, and the app says so.
    @Test(arguments: ["xterm-nope", "alacritty-nope", "tmux-nope", "contour-nope"])
    func knownFamilyFallsBack(type: String) async throws {
        let app = try await AppTerminal(type: type)
        try await app.start()
        try await app.terminal.wait { $0.isAlternate && $0.shows(type) && $0.shows("xterm-256color") }
    }

    /// The release program's curses is Debian's and looks in Debian's folders; a system with other ones names them in `TERMINFO_DIRS`.
    @Test func descriptionMayBeInAFolderOfTheSystem() async throws {
        let app = try await AppTerminal()
        let lines = try await app.terminal.run("infocmp | sed 's/^tmux-256color/own-terminal/' | tic -o descriptions -; echo made=$?")
        try #require(lines.contains("made=0"), "\(lines)")
        #expect(try await app.terminal.run("TERM=own-terminal yett").contains { $0.contains("\"own-terminal\" is not known here") })
        try await app.terminal.enter("clear; TERM=own-terminal TERMINFO_DIRS=$PWD/descriptions yett")
        try await app.terminal.wait { $0.isAlternate && $0.shows(AppTerminal.welcome) }
    }

    /// The terminal is asked nothing where the app cannot open: the answer would be typed into the shell.
    @Test(.enabled(if: Product.installed("script") != nil, "script is not installed"), arguments: ["rxvt-nope", "mlterm-nope", "no-such"])
    func nothingIsAskedBeforeAnError(type: String) async throws {
        let app = try await AppTerminal()
        let lines = try await app.terminal.run("env TERM=\(type) COLORTERM=truecolor script -qec yett output >/dev/null; echo status=$?")
        #expect(lines.contains("status=2"), "\(lines)")
        let output = String(decoding: try #require(app.home.read("output")), as: UTF8.self)
        #expect(output.replacing(/\u{1B}\[[0-9;]*m/, with: "").contains("yett: error: "))
        #expect(!output.contains("\u{1B}]") && !output.contains("\u{1B}[c"))
    }

    @Test func noColorTurnsColoursOff() async throws {
        let app = try await AppTerminal(with: ["NO_COLOR": "1"])
        try await app.start()
        let screen = try await app.terminal.screen()
        let codes = screen.styledRows.flatMap(Self.colourCodes)
        #expect(codes == [])
        // The counterpart shows that the check detects colours.
        let coloured = try await AppTerminal()
        try await coloured.start()
        #expect(try await !coloured.terminal.screen().styledRows.flatMap(Self.colourCodes).isEmpty)
    }

    @Test(arguments: ["C", "POSIX", "xx_XX.UTF-8"])
    func everyLocaleShowsTheSignInScreen(locale: String) async throws {
        let app = try await AppTerminal(with: ["LANG": locale, "LC_ALL": locale])
        try await app.start()
        let screen = try await app.terminal.wait { $0.shows("sandbox") && $0.shows("? help") }
        #expect(!screen.text.contains("\u{fffd}"))
        #expect(!screen.shows("qqqq"))
    }

    /// Returns the SGR parameters of a row that set a colour.
    private static func colourCodes(_ row: String) -> [Int] {
        row.split(separator: "\u{1b}[").dropFirst(row.hasPrefix("\u{1b}[") ? 0 : 1).flatMap { part in
            part.prefix { $0 != "m" }.split(separator: ";").compactMap { Int($0) }
        }.filter { (30...38).contains($0) || (40...48).contains($0) || (90...107).contains($0) }
    }
}
