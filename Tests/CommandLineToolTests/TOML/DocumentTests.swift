import TOML
import Testing

struct DocumentTests {
    @Test func readsEveryKindOfValue() throws {
        let root = try TOMLDocument(
            #"""
            text = "a\tb\u00e9\U0001F600\"\\" # behind
            literal = 'C:\x "y"'
            long = """
            first \
                second "" third"""
            raw = '''a'b'''''
            whole = [ 0, -17, +2, 1_000, 0xFF_ff, 0o17, 0b1_0, 9223372036854775807, -9223372036854775808, ]
            broken = [ 0.5, -1e3, 6.02E+23, 1_0.0_1, inf, -inf ]
            flag = [ true, false ]
            "quoted key".'b.c'.3 = { x = { }, y.z = 1 }
            """#
        ).root
        #expect(root["text"] == .string("a\tbé😀\"\\"))
        #expect(root["literal"] == .string("C:\\x \"y\""))
        #expect(root["long"] == .string("first second \"\" third"))
        #expect(root["raw"] == .string("a'b''"))
        #expect(
            root["whole"]
                == .array([0, -17, 2, 1000, 0xFFFF, 0o17, 0b10, .max, .min].map(TOMLValue.integer)))
        #expect(root["broken"] == .array([0.5, -1000, 6.02e23, 10.01, .infinity, -.infinity].map(TOMLValue.float)))
        #expect(root["flag"] == .array([.boolean(true), .boolean(false)]))
        let inner = try #require(root["quoted key"]?["b.c"]?["3"])
        #expect(inner == .table([.init("x", .table([])), .init("y", .table([.init("z", .integer(1))]))]))
    }

    @Test(arguments: [
        "1979-05-27T07:32:00Z", "1979-05-27 07:32:00.999-07:00", "1979-05-27t07:32:00.5", "2024-02-29", "2000-02-29", "07:32:00",
        "23:59:60", "1979-05-27T00:32:00+23:59",
    ])
    func acceptsValidDatesAndTimes(text: String) throws {
        #expect(try TOMLDocument("x = \(text)").root["x"] == .moment(text))
    }

    /// é in one and in two characters, and the Kelvin sign and K, are different names (TOML 1.0, Keys).
    @Test(arguments: [("\u{E9}", "e\u{301}"), ("\u{212A}", "K"), ("a\u{323}\u{307}", "a\u{307}\u{323}")])
    func namesAreComparedByTheirBytes(first: String, second: String) throws {
        let text = """
            "\(first)" = 1
            "\(second)" = 2
            ["t\(first)"]
            x = 1
            ["t\(second)"]
            x = 2

            """
        let document = try TOMLDocument(text)
        #expect(document.root.members?.count == 4)
        #expect(document.root[first]?.integer == 1 && document.root[second]?.integer == 2)
        #expect(document.line(of: ["t" + second, "x"]) == 6)
        #expect(try TOMLDocument("\"\(first)\" = 1").root != TOMLDocument("\"\(second)\" = 1").root)
        var editor = TOMLEditor(text)
        try editor.set("x", in: ["t" + second], to: "3")
        try editor.remove(table: ["t" + first])
        #expect(try TOMLDocument(editor.text).root.members?.map(\.name.unicodeScalars.count).count == 3)
        #expect(try TOMLDocument(editor.text).root[path: ["t" + second, "x"]] == .integer(3))
    }

    @Test func tablesMayBeWrittenInAnyOrder() throws {
        let root = try TOMLDocument(
            """
            [a.b]
            x = 1
            [[list]]
            n = 1
            [list.sub]
            m = 1
            [a]
            c.d = 2
            c.e = 3
            [[list]]
            [a.c.f]
            """
        ).root
        #expect(root["a"]?.members?.map(\.name) == ["b", "c"])
        #expect(root["a"]?["c"]?.members?.map(\.name) == ["d", "e", "f"])
        #expect(root["list"]?.array?.count == 2)
        #expect(root["list"]?.array?.first?["sub"]?["m"] == .integer(1))
    }

    @Test func reportsTheLineOfEveryKey() throws {
        let document = try TOMLDocument(
            """
            # a comment = with [signs]
            top = 1

            [a.b]  # behind
            list = [
              "one", # ]
              { two = 2 },
            ]
            text = \"\"\"
            [not.a.table]
            key = "no\"\"\"\"
            'quoted.key' = { inner = "x" }
            [["x y"]]
            z = 'it'
            """)
        #expect(document.line(of: ["top"]) == 2)
        #expect(document.line(of: ["a"]) == 4)
        #expect(document.line(of: ["a", "b", "list"]) == 5)
        #expect(document.line(of: ["a", "b", "list", "two"]) == 7)
        #expect(document.line(of: ["a", "b", "text"]) == 9)
        #expect(document.line(of: ["a", "b", "quoted.key", "inner"]) == 12)
        #expect(document.line(of: ["a", "b", "nowhere"]) == 4)
        #expect(document.line(of: ["x y", "z"]) == 14)
        #expect(document.line(of: ["nowhere"]) == nil)
    }

    @Test(arguments: ["", "\n", "#", "\u{FEFF}", "\u{FEFF}# x\r\n", " \t\r\n"])
    func textWithoutKeysIsEmpty(text: String) throws {
        #expect(try TOMLDocument(text).root == .table([]))
    }
}
