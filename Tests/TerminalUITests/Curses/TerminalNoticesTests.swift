import Testing

@testable import CursesBackend

/// Notices on the user's desktop.
@Suite(.serialized) struct TerminalNoticesTests {
    @Test(
        arguments: [
            ("xterm-256color", ["TERM_PROGRAM": "iTerm.app"], .message), ("xterm-256color", ["TERM_PROGRAM": "WezTerm"], .message),
            ("xterm-ghostty", [:], .message), ("xterm-kitty", [:], .message), ("xterm-256color", ["KITTY_WINDOW_ID": "1"], .message),
            ("foot", [:], .titledMessage), ("foot-extra", ["KITTY_WINDOW_ID": "1"], .titledMessage),
            ("rxvt-unicode-256color", [:], .titledMessage), ("xterm-256color", [:], .bell), ("linux", [:], .bell),
            ("tmux-256color", ["TERM_PROGRAM": "iTerm.app"], .bell), ("screen.xterm-256color", ["KITTY_WINDOW_ID": "1"], .bell),
            ("xterm-kitty", ["TMUX": "/tmp/tmux"], .bell),
        ] as [(String, [String: String], TerminalNotices.Form)])
    func formDependsOnTheTerminal(term: String, environment: [String: String], form: TerminalNotices.Form) {
        #expect(TerminalNotices.form(term: term, environment) == form)
    }

    @Test func textCannotEndItsSequence() {
        let text = "a\u{1B}\\b\u{7}c\u{9C};d\ne"
        let safe = "a\u{FFFD}\\b\u{FFFD}c\u{FFFD},d e"
        #expect(TerminalNotices.sequence(for: text, as: .message) == Array("\u{1B}]9;\(safe)\u{7}".utf8))
        #expect(TerminalNotices.sequence(for: text, as: .titledMessage) == Array("\u{1B}]777;notify;yett;\(safe)\u{7}".utf8))
        #expect(TerminalNotices.sequence(for: text, as: .bell) == [7])
        #expect(TerminalNotices.sequence(for: String(repeating: "x", count: 9999), as: .message).count < 300)
    }

    @Test func noticesAreWrittenOnceWhileATerminalIsOpen() {
        let notices = TerminalNotices(term: "xterm-kitty", environment: [:])
        var written: [String] = []
        func write() { notices.writeRequests { written.append(String(decoding: $0, as: UTF8.self)) } }
        notices.notify("too early")
        notices.open()
        notices.notify("first")
        notices.notify("second")
        write()
        write()
        notices.notify("too late")
        notices.close()
        write()
        #expect(written == ["\u{1B}]9;first\u{7}", "\u{1B}]9;second\u{7}"])
    }

    @Test(
        arguments: [
            ("rxvt-unicode-256color", "\u{1B}]777;notify;yett;notice, \u{FFFD}\u{FFFD}\u{7}"), ("xterm-256color", "\u{7}"),
        ])
    func terminalWritesTheNotice(term: String, sequence: String) throws {
        let terminal = try PseudoTerminal()
        try terminal.start(term: term)
        try terminal.wait(for: "[ready")
        #expect(!terminal.text.contains(sequence))
        terminal.send("N")
        try terminal.wait(for: sequence)
        try terminal.quit()
    }
}
