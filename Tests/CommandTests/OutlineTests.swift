import AuthModel
import Testing

@testable import YettCommand

struct OutlineTests {
    @Test func findsTheLinesOfKeysAndTables() {
        let outline = TOMLOutline(
            """
            # a comment = with [signs]
            top = 1

            [a.b]  # behind
            list = [
              "one", # ]
              "two = 2",
            ]
            text = \"\"\"
            [not.a.table]
            key = "no"\"\"\"
            'quoted.key' = { inner = "x" }
            [["x y"]]
            z = 'it''s'
            """)
        #expect(outline.line(of: ["top"]) == 2)
        #expect(outline.line(of: ["a", "b"]) == 4)
        #expect(outline.line(of: ["a", "b", "list"]) == 5)
        #expect(outline.line(of: ["a", "b", "text"]) == 9)
        #expect(outline.line(of: ["a", "b", "quoted.key", "inner"]) == 12)
        #expect(outline.line(of: ["x y", "z"]) == 14)
        #expect(outline.line(of: ["nowhere"]) == nil)
        #expect(outline.entries.map(\.lines.count) == [1, 1, 4, 3, 1, 1, 1])
    }

    @Test(arguments: ["", "\n", "[", "[a", "a", "a =", "a = \"", "a = \"\"\"", "'", "\"\\", "a = [", "= =", "a = '''x", "#"])
    func survivesTextsThatBreakOff(text: String) {
        #expect(TOMLOutline(text).lines.count == text.count { $0 == "\n" } + 1)
    }
}

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

    @Test func removesATableWithItsSubtablesAndNothingElse() {
        var editor = ConfigurationEditor(Self.text)
        editor.remove(table: ["providers", "work"])
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

    @Test func removesTheLastTable() {
        var editor = ConfigurationEditor(Self.text)
        editor.remove(table: ["providers", "home"])
        #expect(editor.text.hasSuffix("audience = \"x\"\n\n# at home\n"))
    }

    @Test func setsAValueInItsPlaceAndKeepsTheComment() {
        var editor = ConfigurationEditor(Self.text)
        editor.set("theme", in: "ui", to: "\"plain\"")
        #expect(editor.text == Self.text.replacing("theme = \"gate\"", with: "theme = \"plain\""))
    }

    @Test func setsAValueThatWasNotThere() {
        var editor = ConfigurationEditor("[ui] # look\nguest_prompt = true\n")
        editor.set("theme", in: "ui", to: "\"plain\"")
        #expect(editor.text == "[ui] # look\ntheme = \"plain\"\nguest_prompt = true\n")
        var empty = ConfigurationEditor("")
        empty.set("theme", in: "ui", to: "\"plain\"")
        #expect(empty.text == "[ui]\ntheme = \"plain\"\n")
    }

    @Test func appendsBehindAFileWithoutAnEnd() {
        var editor = ConfigurationEditor("[ui]\ntheme = \"gate\"")
        editor.append(table: ["providers", "a.b"], values: [("kind", ConfigurationEditor.value("oidc"))])
        #expect(editor.text == "[ui]\ntheme = \"gate\"\n\n[providers.\"a.b\"]\nkind = \"oidc\"\n")
    }

    @Test func writesTextsThatReadBackTheSame() throws {
        let text = "quote \" backslash \\ tab \t umlaut ä"
        let document = try ConfigurationDocument("a = \(ConfigurationEditor.value(text.replacing("\t", with: " ")))", name: "x")
        #expect(document.root["a"]?.string == text.replacing("\t", with: " "))
    }
}
