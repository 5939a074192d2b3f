import TOML
import Testing

struct EditorTests {
    private static let text = """
        # my own notes
        [ui]
        theme = "gate" # I like it

        # the office
        [providers.work]
        kind = "oidc"
        scopes = [
          "openid",
        ]

        [providers.work.extra_params]
        audience = "x"

        # at home
        [providers.home]
        kind = "oidc" # yes

        """

    @Test func removesOnlyATableAndItsSubtables() throws {
        var editor = TOMLEditor(Self.text)
        try editor.remove(table: ["providers", "work"])
        #expect(
            editor.text == """
                # my own notes
                [ui]
                theme = "gate" # I like it

                # the office
                # at home
                [providers.home]
                kind = "oidc" # yes

                """)
    }

    @Test func removesTheLastTable() throws {
        var editor = TOMLEditor(Self.text)
        try editor.remove(table: ["providers", "home"])
        #expect(editor.text.hasSuffix("audience = \"x\"\n\n# at home\n"))
    }

    @Test func replacesAValueAndKeepsTheComment() throws {
        var editor = TOMLEditor(Self.text)
        try editor.set("theme", in: ["ui"], to: "\"plain\"")
        #expect(editor.text == Self.text.replacing("theme = \"gate\"", with: "theme = \"plain\""))
    }

    @Test func addsAMissingValue() throws {
        var editor = TOMLEditor("[ui] # look\nguest_prompt = true\n")
        try editor.set("theme", in: ["ui"], to: "\"plain\"")
        #expect(editor.text == "[ui] # look\ntheme = \"plain\"\nguest_prompt = true\n")
        var empty = TOMLEditor("")
        try empty.set("theme", in: ["ui"], to: "\"plain\"")
        #expect(empty.text == "[ui]\ntheme = \"plain\"\n")
    }

    @Test func appendsToAFileWithoutAFinalNewline() throws {
        var editor = TOMLEditor("[ui]\ntheme = \"gate\"")
        editor.append(table: ["providers", "a.b"], values: [("kind", TOMLText.quoted("oidc"))])
        #expect(editor.text == "[ui]\ntheme = \"gate\"\n\n[providers.\"a.b\"]\nkind = \"oidc\"\n")
    }

    @Test(arguments: [
        ("ui.guest_prompt = true\n", "ui.theme = \"plain\"\nui.guest_prompt = true\n"),
        ("ui = {}\n", "ui = { theme = \"plain\" }\n"),
        ("ui = { guest_prompt = true } # so\n", "ui = { theme = \"plain\", guest_prompt = true } # so\n"),
        ("ui = { theme = 'x', guest_prompt = true }", "ui = { theme = \"plain\", guest_prompt = true }"),
        ("[ui]\ntheme = \"\"\"\nlong\"\"\" # so\n", "[ui]\ntheme = \"plain\" # so\n"),
        ("[ui]", "[ui]\ntheme = \"plain\""),
        ("[ui.more]\nx.y = 1\n", "[ui.more]\nx.y = 1\n\n[ui]\ntheme = \"plain\"\n"),
        ("\u{FEFF}ui.a = 1", "\u{FEFF}ui.theme = \"plain\"\nui.a = 1"),
        ("[ui]\r\ntheme = \"gate\" # mine\r\n", "[ui]\r\ntheme = \"plain\" # mine\r\n"),
    ])
    func setsAValueInEveryFormOfTable(before: String, after: String) throws {
        var editor = TOMLEditor(before)
        try editor.set("theme", in: ["ui"], to: "\"plain\"")
        #expect(editor.text == after)
        #expect(try TOMLDocument(editor.text).root["ui"]?["theme"]?.string == "plain")
    }

    @Test(arguments: [
        ("[providers.x]\nkind = 1 # so\n[ui]\n", "[providers.x]\nbrowser = 2\nkind = 1 # so\n[ui]\n"),
        ("[providers.x]\nbrowser = 1 # so\n", "[providers.x]\nbrowser = 2 # so\n"),
        ("[providers]\ny.kind = 1\nx.kind = 1\n", "[providers]\ny.kind = 1\nx.browser = 2\nx.kind = 1\n"),
        ("providers.x.kind = 1\n", "providers.x.browser = 2\nproviders.x.kind = 1\n"),
        ("[providers]\nx = { kind = 1 }\n", "[providers]\nx = { browser = 2, kind = 1 }\n"),
        ("providers = { x = {}, y = { kind = 1 } }\n", "providers = { x = { browser = 2 }, y = { kind = 1 } }\n"),
        ("providers = { y = {}, x.kind = 1 }\n", "providers = { y = {}, x.browser = 2, x.kind = 1 }\n"),
        ("[providers.x.more]\nk = 1\n", "[providers.x.more]\nk = 1\n\n[providers.x]\nbrowser = 2\n"),
        ("[ui]\r\n[providers.x]\r\nkind = 1", "[ui]\r\n[providers.x]\r\nbrowser = 2\r\nkind = 1"),
        ("[ui]\r\n", "[ui]\r\n\r\n[providers.x]\r\nbrowser = 2\r\n"),
    ])
    func setsAValueInEveryFormOfNestedTable(before: String, after: String) throws {
        var editor = TOMLEditor(before)
        try editor.set("browser", in: ["providers", "x"], to: "2")
        #expect(editor.text == after)
        #expect(try TOMLDocument(editor.text).root[path: ["providers", "x", "browser"]]?.integer == 2)
    }

    @Test(arguments: [
        ("[ui]\n# mine\ntheme = \"x\" # so\nmouse = true\n", "[ui]\n# mine\nmouse = true\n"),
        ("[ui]\ntheme = \"\"\"\nlong\"\"\"\nmouse = true\n", "[ui]\nmouse = true\n"),
        ("ui = { theme = 1, mouse = true }\n", "ui = { mouse = true }\n"), ("ui.theme = 1\n[store]\n", "[store]\n"),
        ("[ui]\nmouse = true\n", "[ui]\nmouse = true\n"), ("[ui]\ntheme = 1", "[ui]\n"),
    ])
    func removesAKeyInEveryForm(before: String, after: String) throws {
        var editor = TOMLEditor(before)
        try editor.remove("theme", in: ["ui"])
        #expect(editor.text == after)
        #expect(try TOMLDocument(editor.text).root["ui"]?["theme"] == nil)
    }

    @Test(arguments: [
        ("providers = { x = { k = 1 }, y = {} }\n", "providers = { y = {} }\n"),
        ("providers = { y = {}, x.a = 1, x.b = 2 }\n", "providers = { y = {} }\n"),
        ("providers = { x.a = 1 }", "providers = {  }"),
        ("[providers]\nx = { k = [\n1 ] }\ny.k = 1\n", "[providers]\ny.k = 1\n"),
        ("[providers.x]\nk = \"\"\"\n[providers.y]\n\"\"\"\n[providers.y]\n", "[providers.y]\n"),
        ("providers.x.k = 1\r\nproviders.y.k = 1\r\n", "providers.y.k = 1\r\n"),
        ("providers.y.k = 1\n", "providers.y.k = 1\n"),
    ])
    func removesATableInEveryForm(before: String, after: String) throws {
        var editor = TOMLEditor(before)
        try editor.remove(table: ["providers", "x"])
        #expect(editor.text == after)
        #expect(try TOMLDocument(editor.text).root["providers"]?["x"] == nil)
    }

    @Test func leavesInvalidTOMLUnchanged() {
        var editor = TOMLEditor("[ui\ntheme = 1")
        #expect(throws: TOMLError.self) { try editor.set("theme", in: ["ui"], to: "2") }
        #expect(throws: TOMLError.self) { try editor.remove(table: ["ui"]) }
        #expect(editor.text == "[ui\ntheme = 1")
    }

    @Test func writtenStringsRoundTrip() throws {
        let text = "quote \" backslash \\ tab \t umlaut ä \u{0}\u{7F}\r\n"
        #expect(try TOMLDocument("a = \(TOMLText.quoted(text))").root["a"]?.string == text)
        #expect(try TOMLDocument("\(TOMLText.key(text)) = 1").root[text]?.integer == 1)
        #expect(try TOMLDocument("a = \(TOMLText.list([text, ""]))").root["a"]?.strings == [text, ""])
    }
}
