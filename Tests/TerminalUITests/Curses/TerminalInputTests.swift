import Glibc
import Testing

/// Tests that typed keys, pastes and resizes arrive as events.
@Suite(.serialized) struct TerminalInputTests {
    @Test(arguments: [
        ("a", "key a"), ("\u{1B}[A", "key ↑"), ("\u{1B}OA", "key ↑"), ("\u{1B}[B", "key ↓"), ("\u{1B}", "key Esc"), ("\r", "key Enter"),
        ("\t", "key Tab"), ("\u{1B}[Z", "key Shift-Tab"), ("\u{7F}", "key Backspace"), ("\u{1B}[3~", "key Del"), ("\u{3}", "key ^C"),
        ("\u{1}", "key ^A"), ("\u{1B}[1;5C", "key Ctrl-→"), ("\u{1B}[5~", "key PgUp"), ("\u{1B}f", "key Alt-f"), ("\u{1B}OP", "key F1"),
        ("é", "key é"), ("漢", "key 漢"), ("😀", "key 😀"),
    ])
    func decodesKeys(bytes: String, event: String) throws {
        let terminal = try PseudoTerminal.started()
        terminal.send(bytes)
        try terminal.wait(for: "[\(event)]")
        try terminal.quit()
    }

    @Test func pasteIsOneEventAndNoKeys() throws {
        let terminal = try PseudoTerminal.started()
        terminal.send("\u{1B}[200~q\rx\u{1B}[201~")
        try terminal.wait(for: "[paste 3 q x]")
        try terminal.quit()
    }

    @Test func largePasteArrivesWhole() throws {
        let terminal = try PseudoTerminal.started()
        terminal.send("\u{1B}[200~" + String(repeating: "q", count: 20_000) + "\u{1B}[201~")
        try terminal.wait(for: "[paste 20000 qqqq")
        try terminal.quit()
    }

    @Test(arguments: [
        "\u{1B}[12;40R", "\u{1B}[?62;1;4c", "\u{1B}]10;rgb:ff/qq/xx\u{7}", "\u{1B}]10;rgb:ff/qq/xx\u{1B}\\", "\u{1B}P1$rqtsx\u{1B}\\",
    ])
    func terminalRepliesAreNotKeys(answer: String) throws {
        let terminal = try PseudoTerminal.started()
        terminal.send(answer + "z")
        try terminal.wait(for: "[key z]")
        #expect(terminal.text.components(of: "[key ").count == 2, "only the key after the answer")
        try terminal.quit()
    }

    @Test func eachResizeIsReportedAtMostOnce() throws {
        let terminal = try PseudoTerminal.started()
        terminal.resize(columns: 40, rows: 10)
        try terminal.wait(for: "[resized 40x10]")
        terminal.resize(columns: 1, rows: 1)
        terminal.resize(columns: 70, rows: 20)
        try terminal.wait(for: "[resized 70x20]")
        try terminal.quit()
        // Each frame shows everything that was reported. The size in between may be skipped: only the last size counts.
        let frame = terminal.text[try #require(terminal.text.ranges(of: "[ready").last).lowerBound...]
        for (size, counts) in [("40x10", 1...1), ("1x1", 0...1), ("70x20", 1...1)] {
            let reports = frame.ranges(of: "[resized \(size)]").count
            #expect(counts.contains(reports), "\(size) was reported \(reports) times")
        }
    }

    @Test func copiesOnlyOnRequest() throws {
        let terminal = try PseudoTerminal.started()
        #expect(!terminal.text.contains("\u{1B}]52"))
        terminal.send("o")
        try terminal.wait(for: "\u{1B}]52;c;aGk=\u{7}")
        try terminal.quit()
    }

    @Test func secretIsClearedFromTheClipboardAtTheEnd() throws {
        let terminal = try PseudoTerminal.started()
        terminal.send("O")
        try terminal.wait(for: "\u{1B}]52;c;aGk=\u{7}")
        try terminal.quit()
        #expect(terminal.text.contains("\u{1B}]52;c;aGk=\u{7}") && terminal.text.contains("\u{1B}]52;c;IA==\u{7}\u{1B}]52;c;\u{7}"))
    }

    @Test func hangUpEndsTheProgram() throws {
        let terminal = try PseudoTerminal.started()
        terminal.hangUp()
        let end = try terminal.finish()
        #expect(end.exit == 0)
        #expect(end.signal == nil)
    }
}

extension String {
    fileprivate func components(of separator: String) -> [Substring] { split(separator: separator, omittingEmptySubsequences: false) }
}
