import Glibc
import Testing

/// The terminal is left as it was found, whatever way out is taken.
@Suite(.serialized) struct TerminalLifeTests {
    private static let leaveScreen = "\u{1B}[?1049l"
    private static let pasteOff = "\u{1B}[?2004l"

    private func started(_ term: String = "xterm-256color", environment: [String] = ["LANG=C.UTF-8"]) throws -> PseudoTerminal {
        let terminal = try PseudoTerminal()
        try terminal.start(term: term, environment: environment)
        try terminal.wait(for: "[ready")
        return terminal
    }

    @Test func takesScreenAndKeysAndGivesThemBackAtNormalEnd() throws {
        let terminal = try started()
        #expect(terminal.text.contains("\u{1B}[?1049h"))
        #expect(terminal.text.contains("\u{1B}[?2004h"))
        #expect(!terminal.isRestored, "raw while the screen is up")
        terminal.send("q")
        #expect(try terminal.finish().exit == 0)
        #expect(terminal.isRestored)
        #expect(terminal.text.contains(Self.pasteOff))
        let parts = terminal.text.split(separator: Self.leaveScreen, omittingEmptySubsequences: false)
        #expect(parts.last?.contains("ended") == true, "what is printed afterwards is on the main screen")
    }

    @Test(
        arguments: [
            ("x", 3, nil), ("t", nil, [SIGILL, SIGTRAP]), ("s", nil, [SIGSEGV]),
        ] as [(String, Int32?, [Int32]?)])
    func restoresAfterExitAndCrash(key: String, exit: Int32?, signals: [Int32]?) throws {
        let terminal = try started()
        terminal.send(key)
        let end = try terminal.finish()
        #expect(end.exit == exit)
        #expect(end.signal == nil ? signals == nil : signals?.contains(end.signal ?? 0) == true)
        #expect(terminal.isRestored)
        #expect(terminal.text.contains(Self.leaveScreen))
        #expect(terminal.text.contains(Self.pasteOff))
        #expect(terminal.text.contains("\u{1B}[?25h") || terminal.text.contains("\u{1B}[?12l\u{1B}[?25h"), "the cursor is shown")
    }

    @Test(arguments: [SIGTERM, SIGHUP, SIGINT])
    func signalsEndTheProgramInOrder(signal: Int32) throws {
        let terminal = try started()
        kill(terminal.process, signal)
        #expect(try terminal.finish().exit == 0)
        #expect(terminal.isRestored)
        #expect(terminal.text.contains(Self.leaveScreen))
    }

    @Test func abortedByItsEnvironmentItRestores() throws {
        let terminal = try started()
        kill(terminal.process, SIGABRT)
        #expect(try terminal.finish().signal == SIGABRT)
        #expect(terminal.isRestored)
        #expect(terminal.text.contains(Self.leaveScreen))
    }

    @Test func drawsAnewWhenItGoesOn() throws {
        let terminal = try started()
        kill(terminal.process, SIGSTOP)
        var status: Int32 = 0
        #expect(waitpid(terminal.process, &status, WUNTRACED) == terminal.process)
        kill(terminal.process, SIGCONT)
        try terminal.wait(for: "[ready")
        try terminal.wait(for: "[resumed]")
        terminal.send("q")
        #expect(try terminal.finish().exit == 0)
        #expect(terminal.isRestored)
    }

    @Test func controlZGivesTheTerminalBackAndDrawsAnew() throws {
        let terminal = try started()
        terminal.send("\u{1A}")
        // Its process group is an orphan here, so the kernel does not stop it; leaving and coming back are the same.
        try terminal.wait(for: Self.leaveScreen)
        try terminal.wait(for: "\u{1B}[?1049h")
        try terminal.wait(for: "[resumed]")
        terminal.send("q")
        #expect(try terminal.finish().exit == 0)
    }

    @Test(arguments: [
        ("dumb", "cannot move its cursor"), ("no-such-terminal", "is not known here"), ("", "TERM is not set"),
    ])
    func refusesTerminalsItCannotDrawOn(term: String, reason: String) throws {
        let terminal = try PseudoTerminal()
        try terminal.start(term: term)
        #expect(try terminal.finish().exit == 9)
        #expect(terminal.text.contains(reason))
        #expect(!terminal.text.contains("\u{1B}"), "nothing was sent to a terminal that is not understood")
        #expect(terminal.isRestored)
    }

    @Test func absurdSizesOfTheEnvironmentAreIgnored() throws {
        let terminal = try started(environment: ["LANG=C.UTF-8", "COLUMNS=999999", "LINES=999999"])
        terminal.send("q")
        #expect(try terminal.finish().exit == 0)
    }

    @Test(arguments: [
        ("xterm-256color", ["LANG=C.UTF-8"], "ready indexed256 unicode"),
        ("xterm-256color", ["LANG=C.UTF-8", "NO_COLOR=1"], "ready mono unicode"),
        ("xterm-256color", [], "ready indexed256 unicode"),
        ("xterm-256color", ["LC_ALL=C"], "ready indexed256 ascii"),
        ("linux", ["LANG=C.UTF-8"], "ready ansi16 ascii"),
        ("vt220", ["LANG=C.UTF-8"], "ready mono ascii"),
    ])
    func choosesColoursAndSignsByTerminalAndLocale(term: String, environment: [String], line: String) throws {
        let terminal = try PseudoTerminal()
        try terminal.start(term: term, environment: environment)
        try terminal.wait(for: "[\(line)]")
        terminal.send("q")
        #expect(try terminal.finish().exit == 0)
    }

    @Test func neverAsksTheTerminalAnything() throws {
        let terminal = try started()
        terminal.send("abc")
        try terminal.wait(for: "[key c]")
        terminal.send("q")
        _ = try terminal.finish()
        // Device status and attributes, settings, colours, window reports.
        for question in [
            "\u{1B}[6n", "\u{1B}[5n", "\u{1B}[c", "\u{1B}[>c", "\u{1B}P$q", "\u{1B}]10;?", "\u{1B}]11;?", "\u{1B}[18t", "\u{1B}[21t",
        ] {
            #expect(!terminal.text.contains(question))
        }
    }
}
