import Glibc
import TerminalUI
import Testing

@testable import CursesBackend

/// The query for the terminal's background.
@Suite(.serialized) struct TerminalBackgroundTests {
    private static let light = "\u{1B}]11;rgb:fafa/f7f7/f0f0\u{1B}\\"
    private static let attributes = "\u{1B}[?62;22c"

    private func background(_ answer: String) -> TerminalBackground { TerminalBackground(answer: Array(answer.utf8)) }

    @Test(
        arguments: [
            ("rgb:ffff/8080/0000", Color(red: 255, green: 128, blue: 0)), ("rgb:ff/80/00", Color(red: 255, green: 128, blue: 0)),
            ("rgb:f/0/f", Color(red: 255, green: 0, blue: 255)), ("rgba:0000/0000/0000/ffff", Color(red: 0, green: 0, blue: 0)),
            ("rgb:ff/80", nil), ("rgb:ff/80/00/00", nil), ("rgb:fffff/00/00", nil), ("rgb:-f/00/00", nil), ("rgb://", nil),
            ("#ffffff", nil),
            ("?", nil), ("", nil),
        ] as [(String, Color?)])
    func readsColours(text: String, color: Color?) {
        #expect(TerminalBackground.color(text) == color)
    }

    @Test func separatesAnswersFromTypedKeys() {
        let answered = background("j" + Self.light + "k\u{1B}[A" + Self.attributes + "é")
        #expect(answered.isLight)
        #expect(answered.typed == Array("jk\u{1B}[Aé".utf8))
        #expect(!background("\u{1B}]11;rgb:0000/0000/0000\u{7}" + Self.attributes).isLight)
        let unanswered = background("abc" + Self.attributes)
        #expect(unanswered.color == nil && !unanswered.isLight && unanswered.typed == Array("abc".utf8))
    }

    /// The rest arrives later as input, and the decoder drops the answer as a whole.
    @Test(arguments: ["\u{1B}]11;rgb:fa", "\u{1B}]11;", "\u{1B}[?62;2"])
    func keepsAnAnswerThatIsCutOff(start: String) {
        let cut = background("j" + start)
        #expect(cut.color == nil && cut.typed == Array(("j" + start).utf8))
        var decoder = KeyDecoder()
        #expect(decoder.decode(KeyDecoder.items(typed: cut.typed)) == [.key(.character("j"))])
        let rest = start.contains("]") ? "/00/00\u{7}" : "2c"
        #expect(decoder.decode(KeyDecoder.items(typed: Array((rest + "k").utf8))) == [.key(.character("k"))])
    }

    @Test func typedBytesAreTheKeysThatCursesWouldRead() {
        var decoder = KeyDecoder()
        let bytes = Array("jé\u{1B}[A\u{1B}OB\r\u{1B}[6~".utf8)
        #expect(
            decoder.decode(KeyDecoder.items(typed: bytes))
                == [
                    .key(.character("j")), .key(.character("é")), .key(Key(.up)), .key(Key(.down)), .key(Key(.enter)), .key(Key(.pageDown)),
                ])
    }

    @Test(arguments: ["linux", "dumb", "vt100", "vt220", "screen", "screen-256color", "ansi", ""])
    func neverAsksTerminalsThatDoNotAnswer(term: String) {
        #expect(!TerminalBackground.answers(term: term, [:]))
    }

    @Test func asksTerminalsThatAnswer() {
        #expect(TerminalBackground.answers(term: "xterm-256color", ["COLORTERM": "truecolor"]))
        #expect(TerminalBackground.answers(term: "xterm-256color", ["XTERM_VERSION": "XTerm(379)"]))
        #expect(TerminalBackground.answers(term: "tmux-256color", [:]))
        #expect(TerminalBackground.answers(term: "xterm-kitty", [:]))
        #expect(!TerminalBackground.answers(term: "xterm-256color", [:]), "nothing says which terminal it is")
        #expect(!TerminalBackground.answers(term: "xterm-256color", ["COLORTERM": "truecolor", "STY": "1.pts-0"]), "inside screen")
    }

    @Test func answeringTerminalLosesNoKey() throws {
        let terminal = try PseudoTerminal()
        try terminal.start(environment: ["LANG=C.UTF-8", "PROBE_ASK=600000"])
        try terminal.wait(for: "\u{1B}]11;?\u{7}\u{1B}[c")
        terminal.send("j" + Self.light + "k" + Self.attributes)
        try terminal.wait(for: "[light]")
        try terminal.wait(for: "[key j]")
        try terminal.wait(for: "[key k]")
        terminal.send("l")
        try terminal.wait(for: "[key l]")
        try terminal.quit()
        #expect(terminal.isRestored)
    }

    @Test func silentTerminalStartsAnyway() throws {
        let terminal = try PseudoTerminal()
        try terminal.start(environment: ["LANG=C.UTF-8", "PROBE_ASK=\(TerminalBackground.timeoutMilliseconds)"])
        try terminal.wait(for: "\u{1B}]11;?\u{7}\u{1B}[c")
        try terminal.wait(for: "[ready")
        // Too late, and therefore dropped.
        terminal.send(Self.light + Self.attributes + "l")
        try terminal.wait(for: "[key l]")
        try terminal.quit()
        #expect(!terminal.text.contains("[light]"))
        #expect(terminal.isRestored)
    }
}
