import TOML
import Testing

/// Edits of single elements of an array.
struct ArrayEditorTests {
    @Test(arguments: [
        ("[\"a\"]", "[\"a\", \"x\"]"), ("[ 'a' ]", "[ 'a', \"x\" ]"), ("[]", "[\"x\"]"), ("[\"a\",\"b\"]", "[\"a\",\"b\",\"x\"]"),
        ("[\n  \"a\",\n]", "[\n  \"a\",\n  \"x\",\n]"),
        ("[\n  \"a\", # one\n  \"b\" # two\n]", "[\n  \"a\", # one\n  \"b\", \"x\" # two\n]"),
        ("[\"\"\"a\"]\"\"\"]", "[\"\"\"a\"]\"\"\", \"x\"]"), ("[\"a\\\"]\", '\\']", "[\"a\\\"]\", '\\', \"x\"]"),
    ])
    func elementIsAppendedAndRemovedInTheLayoutOfTheArray(before: String, after: String) throws {
        let text = "# note\n[t]\nk = \(before) # end\nother = 1\n"
        var editor = TOMLEditor(text)
        try editor.append("x", to: "k", in: ["t"])
        #expect(editor.text == text.replacing(before, with: after))
        let elements = try #require(try TOMLDocument(editor.text).root[path: ["t", "k"]]?.array)
        #expect(elements.last?.string == "x")
        try editor.removeElement(elements.count - 1, of: "k", in: ["t"])
        #expect(editor.text == text)
    }

    @Test(arguments: [
        ("[\"a\", \"b\", \"c\"]", 0, "[\"b\", \"c\"]"), ("[\"a\", \"b\", \"c\"]", 1, "[\"a\", \"c\"]"),
        ("[\n  \"a\", # one\n  \"b\", # two\n]", 1, "[\n  \"a\", # one\n   # two\n]"), ("[\"a\"]", 0, "[]"), ("[\"a\"]", 3, "[\"a\"]"),
    ])
    func elementIsRemoved(before: String, index: Int, after: String) throws {
        var editor = TOMLEditor("k = 1\n[t]\nk = \(before)\n")
        try editor.removeElement(index, of: "k", in: ["t"])
        #expect(throws: Never.self) { try TOMLDocument(editor.text) }
        #expect(editor.text == "k = 1\n[t]\nk = \(after)\n")
    }

    @Test func missingKeyIsSet() throws {
        var editor = TOMLEditor("[t]\na = 1\n")
        try editor.append("x", to: "k", in: ["t"])
        #expect(editor.text == "[t]\nk = [\"x\"]\na = 1\n")
        try editor.removeElement(0, of: "a", in: ["t"])
        #expect(editor.text == "[t]\nk = [\"x\"]\na = 1\n")
    }
}
