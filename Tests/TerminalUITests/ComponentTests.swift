import Synchronization
import TerminalUI
import Testing

struct ComponentTests {
    private func drawn(_ component: some Component, _ columns: Int, _ rows: Int, glyphs: GlyphSet = .unicode) -> ScreenBuffer {
        var buffer = ScreenBuffer(size: Size(columns: columns, rows: rows), glyphs: glyphs)
        buffer.draw(component, in: buffer.bounds)
        return buffer
    }

    /// The chosen row of a document has the pointer and the ground of a selected row of a table.
    @Test func chosenRowOfADocumentHasPointerAndGround() {
        var page = Document()
        page.choice([TextLine.Span("one")], isChosen: false, .unicode)
        page.choice([TextLine.Span("two")], isChosen: true, .unicode)
        var buffer = ScreenBuffer(size: Size(columns: 40, rows: 2))
        page.draw(in: buffer.bounds, into: &buffer)
        #expect(buffer.find("▸ two")?.top == 1)
        let chosen = (0..<40).filter { buffer.style(at: Point(column: $0, row: 1))?.surface == .selection }
        #expect(chosen == Array(2..<38))
        #expect(!(0..<40).contains { buffer.style(at: Point(column: $0, row: 0))?.surface == .selection })
    }

    /// A button that waits has the same place and width as later.
    @Test func buttonThatWaitsHasItsPlace() {
        let (waiting, ready) = (Button("Allow", key: "y", isEnabled: false), Button("Allow", key: "y"))
        #expect(waiting.spans.map(\.text) == [" y ", "Allow "] && ready.spans.map(\.text) == waiting.spans.map(\.text))
        #expect(waiting.spans.allSatisfy { $0.style.role == .muted })
        #expect(Button("Continue", isChosen: true).spans.map(\.style.surface) == [.selection])
    }

    @Test func panelDrawsBorderTitleAndContent() {
        var buffer = drawn(Panel("Sessions"), 16, 4)
        buffer.write("漢 work", in: Panel().content(of: buffer.bounds))
        #expect(
            buffer.text == """
                ╭─ Sessions ───╮
                │ 漢 work      │
                │              │
                ╰──────────────╯
                """)
        #expect(drawn(Panel("A"), 8, 3, glyphs: .ascii).text == "+- A --+\n|      |\n+------+")
    }

    @Test func textWrapsAtSpacesAndBreaksLongWords() {
        #expect(WrappedText("the gate opens slowly", columns: 8).texts == ["the gate", "opens", "slowly"])
        #expect(WrappedText("a https://id.example b", columns: 8).texts == ["a", "https://", "id.examp", "le b"])
        #expect(WrappedText("漢字漢字", columns: 5).texts == ["漢字", "漢字"])
        #expect(WrappedText("one\n\ntwo", columns: 5).texts == ["one", "", "two"])
        #expect(WrappedText("a", columns: 0).texts == [])
        #expect(drawn(Paragraph("the gate opens slowly"), 8, 2).text == "the gate\nopens…")
    }

    @Test(arguments: [
        (0.0, "────"), (0.001, "╸───"), (0.5, "━━──"), (0.6, "━━╸─"), (1.0, "━━━━"), (-3, "────"), (9, "━━━━"), (.nan, "────"),
        (.infinity, "━━━━"),
    ])
    func barShowsTheFraction(share: Double, text: String) {
        #expect(drawn(Bar(share), 4, 1).text == text)
    }

    @Test(arguments: [(0.0, "╋━──"), (0.3, "━╋──"), (0.9, "━━─╋"), (1.0, "━━─╋"), (-1, "╋━──"), (.nan, "╋━──")])
    func barShowsItsMark(mark: Double, text: String) {
        #expect(drawn(Bar(0.5, mark: mark), 4, 1).text == text)
        #expect(drawn(Bar(0.5, mark: 0.9), 4, 1, glyphs: .ascii).text == "==-+")
    }

    @Test func asciiBarUsesASCIICharacters() {
        #expect(drawn(Bar(0.5), 4, 1, glyphs: .ascii).text == "==--")
        #expect(drawn(Bar(0.01), 4, 1, glyphs: .ascii).text == "=---")
    }

    @Test(arguments: [
        ([], ""), ([0, 0], "··"), ([0, 1, 2, 7], "·▁▂▇"), ([1, 1000], "▁▇"), ([5], "▅"), ([8], "▇"), ([-3, 4], "·▄"), ([1, .max], "▁▇"),
        ([.min, 0], "··"),
    ])
    func sparklineScalesToTheHighestValue(values: [Int], text: String) {
        #expect(drawn(TextLine(Sparkline(values).spans(.unicode)), 8, 1).text == text)
    }

    @Test func sparklineUsesASCIICharactersAndAnotherRoleForZero() {
        #expect(drawn(TextLine(Sparkline([0, 1, 2, 3, 4]).spans(.ascii)), 5, 1).text == ".:-=#")
        let buffer = drawn(TextLine(Sparkline([0, 1, 2], style: Style(.accent)).spans(.unicode)), 3, 1)
        #expect(buffer.text == "·▁▂")
        #expect((0..<3).map { buffer.style(at: Point(column: $0, row: 0))?.role } == [.barEmpty, .accent, .accent])
    }

    @Test func scaleInTheHeaderKeepsSpaceBetweenItsLabels() {
        var column = TableColumn("", minimum: 12, share: 1)
        column.ticks = [.init("1m", at: 0), .init("1h", at: 0.5), .init("1d", at: 1)]
        func header(_ columns: Int) -> String {
            drawn(Table(columns: [column], count: 1) { _ in [.text("")] }, columns, 2).text
                .split(separator: "\n").first.map(String.init) ?? ""
        }
        #expect(header(12) == "1m    1h  1d")
        #expect(header(7) == "1m   1d", "the middle one has no space")
    }

    @Test func footerDropsHintsThatDoNotFitButKeepsTheLast() {
        let hints = [("s", "sign in"), ("r", "renew"), ("?", "help")].map { KeyHint(keys: [.character(Character($0.0))], label: $0.1) }
        #expect(drawn(Footer(hints), 40, 1).text == "s sign in  r renew  ? help")
        #expect(drawn(Footer(hints), 20, 1).text == "s sign in  ? help")
        #expect(drawn(Footer(hints), 8, 1).text == "? help")
        #expect(drawn(Footer(hints), 3, 1).text == "? h")
    }

    @Test func footerKeepsTheLastTwoWhereTheyFit() {
        let hints = [("s", "sign in"), ("r", "renew"), (":", "find"), ("?", "help")].map {
            KeyHint(keys: [.character(Character($0.0))], label: $0.1)
        }
        #expect(drawn(Footer(hints, kept: 2), 40, 1).text == "s sign in  r renew  : find  ? help")
        #expect(drawn(Footer(hints, kept: 2), 26, 1).text == "s sign in  : find  ? help")
        #expect(drawn(Footer(hints, kept: 2), 20, 1).text == "s sign in  ? help", "the first key has priority")
        #expect(drawn(Footer(hints, kept: 2), 15, 1).text == ": find  ? help")
        #expect(drawn(Footer(hints, kept: 2), 10, 1).text == "? help")
    }

    @Test func breadcrumbsDropTheirFirstParts() {
        let crumbs = Breadcrumbs(["Sessions", "work", "Claims"])
        #expect(drawn(crumbs, 30, 1).text == "Sessions › work › Claims")
        #expect(drawn(crumbs, 15, 1).text == "work › Claims")
        #expect(drawn(crumbs, 4, 1).text == "Cla…")
    }

    @Test func selectedTabIsAlwaysVisible() {
        #expect(drawn(Tabs(["Identity", "Tokens", "Claims"], selected: 2), 16, 1).text == " Tokens  Claims")
    }

    @Test(arguments: [(Int64(0), "⠋"), (119, "⠋"), (120, "⠙"), (1200, "⠋"), (-1, "⠋"), (.min, "⠋")])
    func spinnerFrameFollowsTheTime(time: Int64, picture: String) {
        #expect(GlyphSet.unicode.spinner.contains(Spinner.frame(at: time)))
        if time >= -1 { #expect(Spinner.frame(at: time) == picture) }
    }

    @Test func textLineIsTruncatedAcrossItsSpans() {
        let line = TextLine([.init("work ", Style(.title)), .init("expires in 5 min", Style(.muted))])
        let buffer = drawn(line, 12, 1)
        #expect(buffer.text == "work expire…")
        #expect(buffer.styles == ["0:0-4 title@screen", "0:5-11 muted@screen"])
    }
}

struct ListTests {
    @Test func listOfTenThousandRowsBuildsOnlyOnePage() {
        let asked = Mutex<Set<Int>>([])
        let list = Table(columns: [TableColumn("row", minimum: 8)], count: 10_000, selected: 7_000, hasHeader: false) { row in
            asked.withLock { _ = $0.insert(row) }
            return [.text("row \(row)")]
        }
        var buffer = ScreenBuffer(size: Size(columns: 12, rows: 5))
        list.draw(in: buffer.bounds, into: &buffer)
        #expect(asked.withLock { $0 } == Set(6_998...7_002))
        #expect(buffer.text.split(separator: "\n").last?.hasPrefix("row 7002") == true)
        #expect(buffer.style(at: Point(column: 0, row: 2))?.surface == .selection)
        #expect(buffer.style(at: Point(column: 0, row: 3))?.surface == .screen)
    }

    /// The step of a page keeps one row of the page before.
    @Test(arguments: [(Movement.down, 6), (.up, 4), (.last, 99), (.first, 0), (.pageDown, 14), (.pageUp, 0), (.next, 6), (.previous, 4)])
    func movementSelectsARow(movement: Movement, selected: Int) {
        #expect(movement.from(5, count: 100, page: 10) == selected)
    }

    @Test(arguments: [0, 1, 3])
    func movementEndsAtTheEndsOfAShortList(count: Int) {
        for movement in [Movement.down, .pageDown, .last] { #expect(movement.from(50, count: count, page: 10) == max(0, count - 1)) }
        for movement in [Movement.up, .pageUp, .first] { #expect(movement.from(0, count: count, page: 10) == 0) }
        // A page of no rows still moves.
        #expect(Movement.pageDown.from(0, count: count, page: 0) == min(1, max(0, count - 1)))
    }

    @Test(arguments: [0, 1, 3])
    func pageOfAShortListHasAllRows(count: Int) {
        #expect(ListWindow.visible(count: count, selected: 50, rows: 10) == 0..<count)
        #expect(ListWindow.page(from: 40, count: count, selected: 50, rows: 10) == 0..<count)
    }
}

struct TableTests {
    private func table(selected: Int = 0) -> Table {
        Table(
            columns: [
                TableColumn("session", minimum: 8, share: 1, importance: 9),
                TableColumn("left", minimum: 6, alignment: .right, importance: 5),
                TableColumn("scopes", minimum: 10, share: 1, importance: 1), TableColumn("state", minimum: 6, importance: 7),
            ], count: 3, selected: selected
        ) { row in
            [.text("work/\(row)"), .text("\(row) min"), .text("openid email profile"), .text("ok", Style(.success))]
        }
    }

    private func drawn(_ columns: Int, _ rows: Int) -> String {
        var buffer = ScreenBuffer(size: Size(columns: columns, rows: rows))
        buffer.draw(table(), in: buffer.bounds)
        return buffer.text
    }

    @Test func columnsShareTheRemainingWidth() {
        #expect(
            drawn(44, 4) == """
                session         left  scopes          state
                work/0         0 min  openid email …  ok
                work/1         1 min  openid email …  ok
                work/2         2 min  openid email …  ok
                """)
    }

    @Test func tableShowsAScrollBarWhenRowsDoNotFit() {
        #expect(drawn(17, 3) == "session   state\nwork/0    ok    ┃\nwork/1    ok    │")
    }

    @Test func leastImportantColumnsAreHiddenFirst() {
        #expect(table().visible(in: 36) == [0, 1, 2, 3])
        #expect(table().visible(in: 30) == [0, 1, 3])
        #expect(table().visible(in: 20) == [0, 3])
        #expect(table().visible(in: 3) == [0])
        #expect(drawn(16, 4) == "session   state\nwork/0    ok\nwork/1    ok\nwork/2    ok")
    }

    @Test func selectedRowHasTheSelectionSurface() {
        var buffer = ScreenBuffer(size: Size(columns: 30, rows: 4))
        buffer.draw(table(selected: 1), in: buffer.bounds)
        let surfaces = (0..<4).map { buffer.style(at: Point(column: 0, row: $0))?.surface }
        #expect(surfaces == [.screen, .screen, .selection, .screen])
    }
}

/// Draws every component at every small size: it must stay within its rectangle and must not trap.
struct SmallSizeTests {
    private static let columns = [TableColumn("a", minimum: 3), TableColumn("b", minimum: 3)]
    private static var components: [any Component] {
        [
            Panel("Title", isFocused: true), Paragraph("some words 漢字"), Label("漢字"), TextLine([.init("a"), .init("漢")]), Bar(0.3),
            Footer([KeyHint(keys: [.up, .down], label: "move")]), Breadcrumbs(["a", "b"]), Tabs(["a", "b"], selected: 1),
            ScrollBar(count: 99, first: 9),
            TextField(TextFieldContent("漢字ab")), TextField(TextFieldContent(), placeholder: "type"),
            MaskedField(SecretField()),
            Table(columns: columns, count: 9, selected: 8) { _ in [.text("漢字"), .bar(Bar(0.5))] },
        ]
    }

    @Test(arguments: 0..<5, 0..<5)
    func componentsDrawOnlyWithinTheirRectangle(columns: Int, rows: Int) {
        for component in Self.components {
            for glyphs in [GlyphSet.unicode, .ascii] {
                var buffer = ScreenBuffer(size: Size(columns: 6, rows: 6), glyphs: glyphs)
                buffer.fill(buffer.bounds, with: "#", style: .plain)
                let rect = Rect(column: 1, row: 1, columns: columns, rows: rows)
                buffer.draw(component, in: rect)
                for row in 0..<6 {
                    for column in 0..<6 where !rect.contains(Point(column: column, row: row)) {
                        #expect(buffer.cell(at: Point(column: column, row: row))?.text == "#", "\(component) drew at \(column), \(row)")
                    }
                }
                var none = ScreenBuffer(size: .zero)
                none.draw(component, in: rect)
                #expect(none.text.isEmpty)
            }
        }
    }
}
