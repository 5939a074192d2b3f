import TerminalUI
import Testing

struct TextFieldTests {
    /// Returns a field with `text` after `keys` were typed into it.
    private func field(_ text: String, _ keys: [Key]) -> TextFieldContent {
        var content = TextFieldContent(text)
        for key in keys {
            let isOwn = content.handle(key)
            #expect(isOwn, "\(key) belongs to a text field")
        }
        return content
    }

    @Test(
        arguments: [
            ("abc", [.left, .character("x")], "abxc", 3), ("abc", [.control("a"), .character("x")], "xabc", 1),
            ("abc", [.home, .end, .character("x")], "abcx", 4), ("abc", [.backspace], "ab", 2), ("abc", [.home, .backspace], "abc", 0),
            ("abc", [.home, .delete], "bc", 0), ("abc", [.delete], "abc", 3), ("one two", [.control("w")], "one ", 4),
            ("one two  ", [.control("w")], "one ", 4), ("abc", [.left, .control("u")], "c", 0),
            ("abc", [.home, .right, .control("k")], "a", 1),
            ("abc", [.control("u"), .control("y"), .control("y")], "abcabc", 6), ("a-b c", [.alt("b"), .alt("b")], "a-b c", 2),
            ("a-b c", [.home, .alt("f")], "a-b c", 1), ("漢字", [.backspace], "漢", 1), ("👩‍💻x", [.left, .backspace], "x", 0),
            ("ab", [.home, .left, .left, .character("é")], "éab", 1), ("e", [.character("\u{301}")], "e\u{301}", 1),
        ] as [(String, [Key], String, Int)])
    func editsLikeReadline(text: String, keys: [Key], result: String, cursor: Int) {
        let content = field(text, keys)
        #expect(content.text == result)
        #expect(content.cursor == cursor)
    }

    @Test func otherKeysAreNotHandled() {
        var content = TextFieldContent("a")
        for key in [Key.enter, .escape, .tab, .up, .control("c"), .function(1)] {
            let isOwn = content.handle(key)
            #expect(!isOwn)
        }
        #expect(content == TextFieldContent("a"))
    }

    @Test func pasteIsOneSafeLineAndSubmitsNothing() {
        var content = TextFieldContent("[]")
        _ = content.handle(.left)
        content.paste(PastedText("\n https://id.example\u{1B}[A\r\nq\n"))
        #expect(content.text == "[https://id.example�[A q]")
    }

    @Test func fieldKeepsItsLengthLimit() {
        var content = TextFieldContent("ab", limit: 3)
        content.paste(PastedText(String(repeating: "x", count: 1_000_000)))
        #expect(content.text == "abx")
    }

    @Test(arguments: [("", 0), ("abc", 3), ("abcdefgh", 4), ("漢字漢字", 4)])
    func cursorStaysInsideTheField(text: String, column: Int) {
        var buffer = ScreenBuffer(size: Size(columns: 5, rows: 1))
        buffer.draw(TextField(TextFieldContent(text)), in: buffer.bounds)
        #expect(buffer.cursor == Point(column: column, row: 0))
    }
}

struct SecretFieldTests {
    private func typed(_ text: String) -> SecretField {
        var field = SecretField()
        for character in text { _ = field.handle(.character(character)) }
        return field
    }

    private func bytes(_ field: SecretField) -> [UInt8] { field.withBytes { Array($0) } }

    @Test func storesBytesAndDeletesWholeCharacters() {
        var field = typed("pä漢")
        #expect(bytes(field) == Array("pä漢".utf8))
        _ = field.handle(.backspace)
        #expect(bytes(field) == Array("pä".utf8))
        _ = field.handle(.control("u"))
        #expect(field.isEmpty && bytes(field).isEmpty)
    }

    @Test func pasteStopsAtTheFirstLineBreak() {
        var field = SecretField()
        field.paste(PastedText("pass word\u{1B}\nnext"))
        #expect(bytes(field) == Array("pass word\u{1B}".utf8))
    }

    @Test func secretFieldIsNeverPrinted() {
        let field = typed("hunter2")
        var dumped = ""
        dump(field, to: &dumped)
        for text in [String(describing: field), String(reflecting: field), dumped, "\(PastedText("hunter2"))"] {
            #expect(!text.contains("hunter2"))
        }
    }

    @Test func equalityComparesRevisionsOnly() {
        #expect(typed("abc") == typed("xyz"))
        #expect(typed("abc") != typed("ab"))
        var cleared = typed("abc")
        cleared.clear()
        #expect(cleared != SecretField())
    }

    @Test func maskedFieldShowsDotsAndIsClipped() {
        var buffer = ScreenBuffer(size: Size(columns: 6, rows: 1))
        buffer.draw(MaskedField(typed("abc")), in: buffer.bounds)
        #expect(buffer.text == "•••")
        buffer.draw(MaskedField(typed("abcdefghij")), in: buffer.bounds)
        #expect(buffer.text == "•••••")
        #expect(buffer.cursor == Point(column: 5, row: 0))
    }
}
