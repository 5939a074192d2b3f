import Foundation
import Glibc
import Testing

/// Tests that the terminal is restored, however the program ends.
@Suite(.serialized) struct TerminalRestoreTests {
    private static let leaveScreen = "\u{1B}[?1049l"
    private static let pasteOff = "\u{1B}[?2004l"

    @Test func terminalIsRestoredAfterANormalEnd() throws {
        let terminal = try PseudoTerminal.started()
        #expect(terminal.text.contains("\u{1B}[?1049h"))
        #expect(terminal.text.contains("\u{1B}[?2004h"))
        #expect(!terminal.isRestored, "raw while the screen is up")
        try terminal.quit()
        #expect(terminal.isRestored)
        #expect(terminal.text.contains(Self.pasteOff))
        let parts = terminal.text.split(separator: Self.leaveScreen, omittingEmptySubsequences: false)
        #expect(parts.last?.contains("ended") == true, "what is printed afterwards is on the main screen")
    }

    @Test(
        arguments: [
            ("x", 3, nil), ("t", nil, [SIGILL, SIGTRAP]), ("s", nil, [SIGSEGV]),
        ] as [(String, Int32?, [Int32]?)])
    func terminalIsRestoredAfterExitAndCrash(key: String, exit: Int32?, signals: [Int32]?) throws {
        let terminal = try PseudoTerminal.started()
        terminal.send(key)
        let end = try terminal.finish()
        #expect(end.exit == exit)
        #expect(end.signal == nil ? signals == nil : signals?.contains(end.signal ?? 0) == true)
        #expect(terminal.isRestored)
        #expect(terminal.text.contains(Self.leaveScreen))
        #expect(terminal.text.contains(Self.pasteOff))
        #expect(terminal.text.contains("\u{1B}\\\u{1B}]8;;\u{1B}\\"), "no link stays open")
        #expect(terminal.text.contains("\u{1B}[?25h") || terminal.text.contains("\u{1B}[?12l\u{1B}[?25h"), "the cursor is shown")
    }

    private static let mouseOn = "\u{1B}[?1000h\u{1B}[?1006h"
    private static let mouseOff = "\u{1B}[?1006l\u{1B}[?1000l"

    @Test(arguments: ["xterm-256color", "tmux-256color"])
    func mouseReportsAreTurnedOnAndDelivered(term: String) throws {
        let terminal = try PseudoTerminal.started(term)
        #expect(!terminal.text.contains(Self.mouseOn), "the mouse was not requested")
        terminal.send("m")
        try terminal.wait(for: Self.mouseOn)
        terminal.send("\u{1B}[<0;3;4M\u{1B}[<0;3;4m\u{1B}[<65;1;1M")
        try terminal.wait(for: "[mouse pressed 2,3]")
        try terminal.wait(for: "[mouse wheelDown 0,0]")
        terminal.send("n")
        try terminal.wait(for: Self.mouseOff)
        try terminal.quit()
    }

    /// The shell gets no mouse reports, however the program ends.
    @Test(arguments: ["q", "x", "t", "s", "\u{1A}"])
    func mouseReportsAreTurnedOffAtTheEnd(key: String) throws {
        let terminal = try PseudoTerminal.started()
        terminal.send("m")
        try terminal.wait(for: Self.mouseOn)
        terminal.send(key)
        try terminal.wait(for: Self.mouseOff)
        if key == "\u{1A}" {
            // After stop and continue, the program turns the reports on again.
            try terminal.wait(for: "[resumed]")
            terminal.send("q")
        }
        _ = try terminal.finish()
        let last = try #require(terminal.text.ranges(of: Self.mouseOff).last)
        #expect(!terminal.text[last.upperBound...].contains("?1000h"))
        #expect(terminal.isRestored)
    }

    @Test func terminalWithoutAMouseGetsNoMouseSequences() throws {
        let terminal = try PseudoTerminal.started("vt100")
        terminal.send("m")
        try terminal.quit()
        #expect(!terminal.text.contains("?1000"))
    }

    /// The report says what happened and where, and nothing else. It is written after the terminal is restored.
    @Test(arguments: ["t", "s"])
    func crashWritesAReport(key: String) throws {
        let path = "/tmp/yett-crash-\(getpid())-\(key).txt"
        unlink(path)
        defer { unlink(path) }
        let terminal = try PseudoTerminal.started(environment: ["LANG=C.UTF-8", "PROBE_REPORT=\(path)"])
        terminal.send(key)
        #expect(try terminal.finish().signal != nil)
        #expect(terminal.isRestored)
        let text = try String(contentsOf: URL(filePath: path), encoding: .utf8)
        #expect(text.hasPrefix("probe 1.2 crashed\nsignal: SIG"))
        #expect(text.contains("curses-probe"), "a place in the program")
        var status = stat()
        #expect(stat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        let afterwards = try #require(terminal.text.components(separatedBy: Self.leaveScreen).last)
        #expect(afterwards.contains("yett: error: the program crashed with SIG"))
        #expect(afterwards.contains("is in \(path)"))
    }

    /// An existing file is not overwritten, and a normal end writes no file.
    @Test func crashReportNeedsACrashAndNoExistingFile() throws {
        let path = "/tmp/yett-crash-\(getpid())-kept.txt"
        defer { unlink(path) }
        let ended = try PseudoTerminal.started(environment: ["LANG=C.UTF-8", "PROBE_REPORT=\(path)"])
        try ended.quit()
        #expect(access(path, F_OK) != 0)
        try "kept".write(toFile: path, atomically: false, encoding: .utf8)
        let crashed = try PseudoTerminal.started(environment: ["LANG=C.UTF-8", "PROBE_REPORT=\(path)"])
        crashed.send("s")
        #expect(try crashed.finish().signal != nil)
        #expect(crashed.isRestored)
        #expect(try String(contentsOf: URL(filePath: path), encoding: .utf8) == "kept")
    }

    private static let modesOn = "\u{1B}[?1004h\u{1B}[?2031h"
    private static let modesOff = "\u{1B}[?2031l\u{1B}[?1004l"
    private static let frameMarks = "\u{1B}[?2026h\u{1B}[?2026l".utf8.count

    /// Reports of the focus and of the colour scheme are on while the screen is up, and are delivered.
    @Test func focusAndColorSchemeAreReported() throws {
        let terminal = try PseudoTerminal.started()
        #expect(terminal.text.contains(Self.modesOn))
        terminal.send("\u{1B}[O\u{1B}[?997;2n\u{1B}[I\u{1B}[?997;1n")
        for event in ["focused false", "light true", "focused true", "light false"] { try terminal.wait(for: "[\(event)]") }
        try terminal.quit()
    }

    /// However the program ends or stops, the shell gets no reports, and no frame stays open.
    @Test(arguments: ["q", "x", "t", "s", "\u{1A}"])
    func modesAreTurnedOffAtTheEnd(key: String) throws {
        let terminal = try PseudoTerminal.started()
        terminal.send(key)
        try terminal.wait(for: Self.modesOff)
        if key == "\u{1A}" {
            try terminal.wait(for: Self.modesOn)
            try terminal.wait(for: "[resumed]")
            terminal.send("q")
        }
        _ = try terminal.finish()
        let last = try #require(terminal.text.ranges(of: Self.modesOff).last)
        #expect(!terminal.text[last.upperBound...].contains("?1004h"))
        let frame = try #require(terminal.text.ranges(of: "\u{1B}[?2026h").last)
        #expect(terminal.text[frame.upperBound...].contains("\u{1B}[?2026l"))
        #expect(terminal.isRestored)
    }

    @Test func oldTerminalGetsNoNewModes() throws {
        let terminal = try PseudoTerminal.started("vt100")
        try terminal.quit()
        for mode in ["1004", "2026", "2031"] { #expect(!terminal.text.contains("?\(mode)"), "\(mode)") }
    }

    /// Only changed cells are sent: a cell costs its position, its style and its text.
    @Test func changingOneCellCostsAtMost32Bytes() throws {
        let terminal = try PseudoTerminal.started()
        // On the first change, curses may send set-up sequences.
        terminal.send("&")
        try terminal.wait(for: ":")
        for turn in 0..<6 {
            let before = terminal.output.count
            terminal.send("&")
            try terminal.wait(for: turn % 2 == 0 ? "." : ":")
            let cost = terminal.output.count - before
            #expect(cost <= 32 + Self.frameMarks, "\(cost) bytes")
        }
        let before = terminal.output.count
        terminal.send("q")
        _ = try terminal.finish()
        #expect(terminal.output.count > before)
    }

    @Test(arguments: [SIGTERM, SIGHUP, SIGINT])
    func terminationSignalsEndTheProgramNormally(signal: Int32) throws {
        let terminal = try PseudoTerminal.started()
        kill(terminal.process, signal)
        #expect(try terminal.finish().exit == 0)
        #expect(terminal.isRestored)
        #expect(terminal.text.contains(Self.leaveScreen))
    }

    @Test func abortSignalRestoresTheTerminal() throws {
        let terminal = try PseudoTerminal.started()
        kill(terminal.process, SIGABRT)
        #expect(try terminal.finish().signal == SIGABRT)
        #expect(terminal.isRestored)
        #expect(terminal.text.contains(Self.leaveScreen))
    }

    @Test func programRedrawsWhenContinued() throws {
        let terminal = try PseudoTerminal.started()
        kill(terminal.process, SIGSTOP)
        var status: Int32 = 0
        #expect(waitpid(terminal.process, &status, WUNTRACED) == terminal.process)
        kill(terminal.process, SIGCONT)
        try terminal.wait(for: "[ready")
        try terminal.wait(for: "[resumed]")
        try terminal.quit()
        #expect(terminal.isRestored)
    }

    @Test func controlZRestoresTheTerminalAndRedrawsAfterwards() throws {
        let terminal = try PseudoTerminal.started()
        terminal.send("\u{1A}")
        // Its process group is orphaned here, so the kernel does not stop it. Leaving and returning work the same.
        try terminal.wait(for: Self.leaveScreen)
        try terminal.wait(for: "\u{1B}[?1049h")
        try terminal.wait(for: "[resumed]")
        try terminal.quit()
    }

    @Test(arguments: [
        ("dumb", "cannot move its cursor"), ("no-such-terminal", "is not known here"), ("", "TERM is not set"),
    ])
    func unusableTerminalsAreRefused(term: String, reason: String) throws {
        let terminal = try PseudoTerminal()
        try terminal.start(term: term)
        #expect(try terminal.finish().exit == 9)
        #expect(terminal.text.contains(reason))
        #expect(!terminal.text.contains("\u{1B}"), "nothing was sent to a terminal that is not understood")
        #expect(terminal.isRestored)
    }

    @Test func implausibleEnvironmentSizesAreIgnored() throws {
        let terminal = try PseudoTerminal.started(environment: ["LANG=C.UTF-8", "COLUMNS=999999", "LINES=999999"])
        try terminal.quit()
    }

    @Test(arguments: [
        ("xterm-256color", ["LANG=C.UTF-8"], "ready indexed256 unicode"),
        ("xterm-256color", ["LANG=C.UTF-8", "NO_COLOR=1"], "ready mono unicode"),
        ("xterm-256color", [], "ready indexed256 unicode"),
        ("xterm-256color", ["LC_ALL=C"], "ready indexed256 ascii"),
        ("linux", ["LANG=C.UTF-8"], "ready ansi16 ascii"),
        ("vt220", ["LANG=C.UTF-8"], "ready mono ascii"),
    ])
    func coloursAndGlyphsDependOnTerminalAndLocale(term: String, environment: [String], line: String) throws {
        let terminal = try PseudoTerminal()
        try terminal.start(term: term, environment: environment)
        try terminal.wait(for: "[\(line)]")
        try terminal.quit()
    }

    @Test func neverQueriesTheTerminal() throws {
        let terminal = try PseudoTerminal.started()
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
