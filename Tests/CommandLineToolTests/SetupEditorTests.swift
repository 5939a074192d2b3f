import AuthModel
import Testing

@testable import CommandLineTool

/// The edits that `yett setup` makes in the files of tools.
struct SetupEditorTests {
    @Test(arguments: [
        ("{}", "{\n\t\"o\": {\n\t\t\"a\": \"b\"\n\t}\n}"), ("{\"x\":1}", "{\"x\":1,\"o\":{\"a\":\"b\"}}"),
        ("{\"x\": 1, \"y\": [2, {}]}", "{\"x\": 1, \"y\": [2, {}], \"o\": {\"a\": \"b\"}}"),
        ("{\n  \"x\": \"}\\\"\"\n}\n", "{\n  \"x\": \"}\\\"\",\n  \"o\": {\n    \"a\": \"b\"\n  }\n}\n"),
        ("{\"o\":{\"c\":\"d\"},\"x\":true}", "{\"o\":{\"c\":\"d\",\"a\":\"b\"},\"x\":true}"),
        ("{ \"o\" : { \"c\" : \"d\" } }", "{ \"o\" : { \"c\" : \"d\", \"a\": \"b\" } }"),
        (
            "{\n\t\"o\": {\n\t\t\"c\": \"d\"\n\t},\n\t\"x\": null\n}",
            "{\n\t\"o\": {\n\t\t\"c\": \"d\",\n\t\t\"a\": \"b\"\n\t},\n\t\"x\": null\n}"
        ),
    ])
    func memberIsAddedAndRemovedInTheLayoutOfTheFile(before: String, after: String) throws {
        var editor = JSONEditor(before)
        editor.set("a", to: "b", inObject: ["o"])
        let wanted = try JSONValue(strict: before)
        let value = try JSONValue(strict: editor.text)
        #expect(value["o"]?["a"] == "b")
        #expect(value["x"] == wanted["x"])
        if !before.contains("{ ") { #expect(editor.text == after) }
        editor.remove("a", inObject: ["o"])
        #expect(editor.text == before)
    }

    @Test(arguments: [
        ("{ // one\n}", "{ // one\n\"a\": \"b\"\n}"),
        ("{\n  \"x\": 1 // one\n}", "{\n  \"x\": 1, // one\n  \"a\": \"b\"\n}"),
        ("{\n  \"x\": 1, // one\n}", "{\n  \"x\": 1, // one\n  \"a\": \"b\",\n}"),
        ("{\"x\": 1, // one\n}", "{\"x\": 1, // one\n\"a\": \"b\",\n}"),
        ("{\"x\": 1 /* , } */}", "{\"x\": 1, /* , } */\n\"a\": \"b\"}"),
        ("{\n  // \"a\": 2\n  \"x\": \"// no\"\n}", "{\n  // \"a\": 2\n  \"x\": \"// no\",\n  \"a\": \"b\"\n}"),
    ])
    func commentsStayWhereTheyAre(before: String, after: String) throws {
        let (before, after) = ("{\"o\": \(before)}", "{\"o\": \(after)}")
        var editor = JSONEditor(before)
        editor.set("a", to: "b", inObject: ["o"])
        #expect(try JSONValue(strict: JSONEditor.plain(editor.text))["o"]?["a"] == "b")
        #expect(editor.text.replacing(" ", with: "") == after.replacing(" ", with: ""))
        editor.remove("a", inObject: ["o"])
        // The object goes with its only member.
        if after.contains("x") { #expect(editor.text == before) }
    }

    @Test func memberBetweenCommentsIsRemovedAlone() throws {
        var editor = JSONEditor("{\"o\": {\n\"a\": 1, // one\n\"b\": 2, // two\n\"c\": 3 // three\n}}")
        editor.remove("b", inObject: ["o"])
        #expect(editor.text == "{\"o\": {\n\"a\": 1, // one // two\n\"c\": 3 // three\n}}")
        editor.remove("c", inObject: ["o"])
        #expect(editor.text == "{\"o\": {\n\"a\": 1 // one // two // three\n}}")
        #expect(try JSONValue(strict: JSONEditor.plain(editor.text))["o"]?["a"] == 1)
    }

    @Test func valueIsReplacedAndOthersAreRemoved() {
        var editor = JSONEditor("{\"o\": {\"a\": \"x\", \"c\": \"d\", \"e\": \"f\"}}")
        editor.set("a", to: "y\"z", inObject: ["o"])
        #expect(editor.text == "{\"o\": {\"a\": \"y\\\"z\", \"c\": \"d\", \"e\": \"f\"}}")
        editor.remove("c", inObject: ["o"])
        #expect(editor.text == "{\"o\": {\"a\": \"y\\\"z\", \"e\": \"f\"}}")
        editor.remove("a", inObject: ["o"])
        #expect(editor.text == "{\"o\": {\"e\": \"f\"}}")
        editor.remove("missing", inObject: ["o"])
        editor.remove("e", inObject: ["missing"])
        #expect(editor.text == "{\"o\": {\"e\": \"f\"}}")
    }

    @Test func differenceIsBetweenTheFirstAndTheLastChangedLine() {
        let difference = LineDifference(from: "a\nb\nc\nd\n", to: "a\nx\nc\n\ty\nd\n")
        #expect(difference.before == ["b", "c"])
        #expect(difference.after == ["x", "c", "  y"])
        #expect(LineDifference(from: "a\n", to: "a\n").after.isEmpty)
        #expect(LineDifference(from: "", to: "a\nb").after == ["a", "b"])
        #expect(LineDifference(from: "a\n", to: "a\na\n").after == ["a"])
    }

    @Test(arguments: [
        ("yett helper git work", "work"), ("/opt/bin/yett helper git 'work/jürgen'", "work/jürgen"), ("yett helper git", "-"),
        ("yett helper git --log", "-"), ("yett helper docker work", nil), ("gh auth git-credential", nil), ("yettx helper git work", nil),
        ("\"/opt/my programs/yett\" helper git work", "work"),
        ("", nil),
    ])
    func helperLinesAreRecognised(line: String, session: String?) {
        let found = HelperLine(line: line, helper: "git")
        #expect((found == nil) == (session == nil))
        if session != "-" { #expect(found?.session?.description == session) }
    }
}
