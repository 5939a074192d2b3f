import TerminalUI
import TestSupport
import Testing

struct ScreenBufferTests {
    private func buffer(_ columns: Int, _ rows: Int) -> ScreenBuffer { ScreenBuffer(size: Size(columns: columns, rows: rows)) }

    @Test func writesAtTheGivenPosition() {
        var screen = buffer(10, 3)
        screen.write("yett", at: Point(column: 2, row: 1), style: Style(.title))
        #expect(screen.text == "\n  yett\n")
        #expect(
            screen.styles == ["0:0-9 text@screen", "1:0-1 text@screen", "1:2-5 title@screen", "1:6-9 text@screen", "2:0-9 text@screen"])
    }

    @Test func externalTextIsSanitised() {
        var screen = buffer(12, 1)
        screen.write("a\u{1B}[31m\u{202E}b\nc", at: .zero)
        #expect(screen.text == "a�[31m�b c")
    }

    @Test(arguments: [(0, 0), (1, 1), (0, 5), (5, 0), (2, 1), (1, 2)])
    func drawingIsClippedAtAnySize(columns: Int, rows: Int) {
        var screen = buffer(columns, rows)
        for column in -3...3 {
            for row in -1...3 {
                screen.write("漢x漢", at: Point(column: column, row: row))
                screen.write("漢x漢", in: Rect(column: column, row: row, columns: 2, rows: 2))
                screen.fill(Rect(column: column, row: row, columns: 9, rows: 9), with: "#", style: .plain)
            }
        }
        #expect(screen.text == (0..<rows).map { _ in String(repeating: "#", count: columns) }.joined(separator: "\n"))
    }

    @Test func wideGlyphTakesTwoCellsOrNone() {
        var screen = buffer(5, 1)
        screen.write("ab漢漢", at: .zero)
        #expect(screen.text == "ab漢")
        screen.write("漢", at: Point(column: 4, row: 0))
        #expect(screen.text == "ab漢")
        #expect(screen.cell(at: Point(column: 3, row: 0))?.isContinuation == true)
    }

    @Test(arguments: [(1, "x漢"), (0, "x 漢")])
    func overwritingHalfAWideGlyphBlanksTheOtherHalf(column: Int, text: String) {
        var screen = buffer(4, 1)
        screen.write("漢漢", at: .zero)
        screen.write("x", at: Point(column: column, row: 0))
        #expect(screen.text == (column == 1 ? " x漢" : text))
    }

    @Test func textLeftOfTheEdgeIsClippedNotMoved() {
        var screen = buffer(4, 1)
        screen.write("abcdef", at: Point(column: -2, row: 0))
        #expect(screen.text == "cdef")
        screen.write("123456", at: Point(column: 0, row: 0), clip: Rect(column: 1, row: 0, columns: 2, rows: 1))
        #expect(screen.text == "c23f")
    }

    @Test(arguments: [
        "ftp://example.org", "javascript:alert(1)", "", "https://example.org/\u{1B}\\", "https://example.org/\u{7}",
        "https://example.org/a b", "https://exämple.org", "https://example.org/" + String(repeating: "a", count: 2048),
    ])
    func textThatIsNoAddressIsNoLink(text: String) { #expect(LinkAddress(text) == nil) }

    @Test func linkEndsWhereSomethingElseIsWritten() throws {
        var screen = buffer(8, 1)
        let address = try #require(LinkAddress("https://id.example.org/"))
        screen.write("abcdef", at: .zero)
        screen.link(Rect(column: 1, row: 0, columns: 40, rows: 3), to: address)
        screen.write("漢", at: Point(column: 3, row: 0))
        #expect(screen.row(0).map { $0.link != nil } == [false, true, true, false, false, true, true, true])
    }

    /// What writes changed cells may write others of the row again, which ends their link on the terminal.
    @Test func changesHaveTheLinksOfEveryRowThatChanges() throws {
        let address = try #require(LinkAddress("https://id.example.org/"))
        func screen(_ linked: Range<Int>, more: String) -> ScreenBuffer {
            var screen = buffer(8, 2)
            screen.write("abcd" + more, at: .zero)
            screen.link(Rect(column: linked.lowerBound, row: 0, columns: linked.count, rows: 1), to: address)
            return screen
        }
        func links(_ before: ScreenBuffer?, _ after: ScreenBuffer) -> [String] {
            ScreenChanges(from: before, to: after, theme: .uncoloured).links.map { link in
                "\(link.run.origin.column) \(link.run.cells.map(\.text).joined()) \(link.address == nil ? "none" : "link")"
            }
        }
        let first = screen(1..<4, more: "")
        #expect(links(nil, first) == ["1 bcd link"])
        #expect(links(first, first) == [])
        #expect(links(first, screen(1..<4, more: "x")) == ["1 bcd link"])
        #expect(links(first, screen(2..<3, more: "")) == ["1 b none", "2 c link", "3 d none"])
    }

    @Test func truncatedTextEndsInAnEllipsis() {
        var screen = buffer(8, 2)
        screen.write("front door", in: Rect(column: 0, row: 0, columns: 6, rows: 1))
        screen.draw(Label("https://id.example", cut: .middle), in: Rect(column: 0, row: 1, columns: 8, rows: 1))
        #expect(screen.text == "front…\nhttp…ple")
    }

    @Test func findsTextBehindWideGlyphs() {
        var screen = buffer(12, 2)
        screen.write("漢 open", at: Point(column: 1, row: 1))
        #expect(screen.find("open") == Rect(column: 4, row: 1, columns: 4, rows: 1))
        #expect(screen.find("shut") == nil)
    }
}

struct ScreenChangesTests {
    private func screen(_ lines: [String], cursor: Point? = nil) -> ScreenBuffer {
        var buffer = ScreenBuffer(size: Size(columns: 10, rows: lines.count))
        for (row, line) in lines.enumerated() { buffer.write(line, at: Point(column: 0, row: row)) }
        buffer.cursor = cursor
        return buffer
    }

    @Test func onlyChangedCellsAreWritten() {
        let changes = ScreenChanges(from: screen(["abcdef", "same"]), to: screen(["abXdeY", "same"]), theme: .uncoloured)
        #expect(changes.runs.map(\.origin) == [Point(column: 2, row: 0), Point(column: 5, row: 0)])
        #expect(changes.runs.map { $0.cells.map(\.text) } == [["X"], ["Y"]])
        #expect(!changes.isComplete)
    }

    @Test func equalScreensWriteNothing() {
        #expect(ScreenChanges(from: screen(["a"]), to: screen(["a"]), theme: .uncoloured).runs.isEmpty)
    }

    @Test func resizeWritesEverything() {
        let changes = ScreenChanges(from: screen(["a"]), to: screen(["a", "b"]), theme: .uncoloured)
        #expect(changes.isComplete)
        #expect(changes.runs.map(\.cells.count) == [10, 10])
    }

    @Test(arguments: [("漢漢x", "a漢x"), ("a漢x", "漢漢x"), ("漢漢", "漢 字"), ("xx漢", "x漢"), ("", "漢漢漢漢漢"), ("漢漢漢漢漢", "abc")])
    func appliedChangesGiveTheNewScreen(old: String, new: String) {
        var shown = screen([old])
        let wanted = screen([new], cursor: Point(column: 1, row: 0))
        shown.apply(ScreenChanges(from: shown, to: wanted, theme: .uncoloured))
        #expect(shown == wanted)
    }
}
