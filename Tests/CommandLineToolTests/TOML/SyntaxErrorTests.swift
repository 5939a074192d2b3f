import AuthModel
import Localization
import TOML
import Testing

/// Errors name the line and say what is wrong.
struct SyntaxErrorTests {
    @Test(arguments: [
        // Values: missing, incomplete or unknown.
        ("a =", 1, "a value is missing here"), ("a = # x", 1, "a value is missing here"), ("\na = gate", 2, "'gate' is not a value"),
        ("a = True", 1, "'True' is not a value"), ("a = 01", 1, "'01' is not a value"), ("a = 1__0", 1, "'1__0' is not a value"),
        ("a = .5", 1, "'.5' is not a value"), ("a = 5.", 1, "'5.' is not a value"), ("a = 1e", 1, "'1e' is not a value"),
        ("a = 0x", 1, "'0x' is not a value"), ("a = -0x1", 1, "'-0x1' is not a value"), ("a = 0b2", 1, "'0b2' is not a value"),
        ("a = +nin", 1, "'+nin' is not a value"), ("a = 9223372036854775808", 1, "the number 9223372036854775808 is too large"),
        ("a = 0xFFFFFFFFFFFFFFFF", 1, "the number 0xFFFFFFFFFFFFFFFF is too large"),
        ("a = 1 b = 2", 1, "unexpected text after the value"),
        // Dates and times.
        ("x = 1:", 1, "'1:' is not a value"), ("x = 12:", 1, "'12:' is not a date or time"),
        ("x = 25:00:00", 1, "'25:00:00' is not a date or time"),
        ("x = 07:32", 1, "'07:32' is not a date or time"), ("x = 07:32:00.", 1, "'07:32:00.' is not a date or time"),
        ("x = 1979-02-29", 1, "'1979-02-29' is not a date or time"), ("x = 1900-02-29", 1, "'1900-02-29' is not a date or time"),
        ("x = 1979-13-01", 1, "'1979-13-01' is not a date or time"), ("x = 1979-05-27T", 1, "'1979-05-27T' is not a date or time"),
        ("x = 1979-05-27T07:32:00+24:00", 1, "'1979-05-27T07:32:00+24:00' is not a date or time"),
        ("x = 1979-05-27T07:32:61Z", 1, "'1979-05-27T07:32:61Z' is not a date or time"),
        // Strings.
        ("a = \"x", 1, "this text is not closed"), ("\na = 'x\n'", 2, "this text is not closed"),
        ("a = \"\"\"x\n\ny", 1, "this text is not closed"), ("a = \"\\x\"", 1, "unknown escape"),
        ("a = \"\\uD800\"", 1, "unknown escape"), ("a = \"\\U00110000\"", 1, "unknown escape"),
        ("a = \"\\u12\"", 1, "unknown escape"), ("a = \"\"\"\n\\q\"\"\"", 2, "unknown escape"),
        ("a = \"\u{0}\"", 1, "control character not allowed"), ("a = 'x\u{1B}'", 1, "control character not allowed"),
        ("# x\n# \u{7F}", 2, "control character not allowed"), ("# x\ry", 1, "control character not allowed"),
        ("a = \"\"\"\r\"\"\"", 1, "control character not allowed"), ("a = \"\"\"\"\"\"\"\"\"", 1, "unexpected text after the value"),
        // Arrays and inline tables.
        ("a = [", 1, "this list is not closed"), ("a = [1 2]", 1, "a comma is missing in a list"), ("a = [1,,2]", 1, "a value is missing"),
        ("a = {", 1, "a name is missing here"), ("a = { x = 1, }", 1, "a name is missing here"),
        ("a = { x = 1\n}", 1, "these braces are not closed on the same line"), ("a = { x = 1, x = 2 }", 1, "'x' is defined twice"),
        ("a = [\n{ x = 1, x.y = 2 }]", 2, "'x.y' is not possible: 'x' is not a table"),
        // Keys and headers.
        ("a", 1, "= is missing after the key"), ("= 1", 1, "a name is missing here"), ("a. = 1", 1, "a name is missing here"),
        ("a b = 1", 1, "= is missing after the key"), ("é = 1", 1, "a name is missing here"),
        ("\"\"\"a\"\"\" = 1", 1, "a key must be on one line"), ("[(", 1, "a name is missing here"),
        ("[]", 1, "a name is missing here"),
        ("[[ =]]", 1, "a name is missing here"), ("[a", 1, "the table's name is not closed"), ("[[a]", 1, "the table's name is not closed"),
        ("[a] x", 1, "unexpected text after the value"), ("a = 1\na = 2", 2, "'a' is defined twice"),
        ("[a]\n[a]", 2, "'a' is defined twice"),
        ("a = 1\n[a]", 2, "'a' is defined twice"), ("[a]\n[[a]]", 2, "'a' is defined twice"), ("[[a]]\n[a]", 2, "'a' is defined twice"),
        ("a = []\n[[a]]", 2, "'a' is defined twice"), ("a = {}\n[a.b]", 2, "'a.b' is not possible: 'a' is not a table"),
        ("a.b = 1\n[a]", 2, "'a' is defined twice"), ("[a.b]\n[a]\nb.c = 1", 3, "'b.c' adds to the table 'b', which is defined elsewhere"),
    ])
    func reportsTheLineAndTheReason(text: String, line: Int, reason: String) throws {
        let error = try #require(throws: TOMLError.self) { try TOMLDocument(text) }
        #expect(error.line == line)
        #expect(error.reason.english.hasPrefix(reason))
        #expect(!error.hint.english.isEmpty)
    }

    @Test(arguments: [
        "a = " + String(repeating: "[", count: 100_000), "a = " + String(repeating: "{a=", count: 100_000),
        "a" + String(repeating: ".a", count: 100_000) + " = 1", "[a" + String(repeating: ".a", count: 100_000) + "]",
        "a = " + String(repeating: "[{a=", count: 100_000),
    ])
    func nestingDepthIsLimited(text: String) throws {
        let error = try #require(throws: TOMLError.self) { try TOMLDocument(text) }
        #expect(error.reason.english == "nested too deeply")
    }

    @Test func longWordsAreTruncatedInMessages() throws {
        let error = try #require(throws: TOMLError.self) { try TOMLDocument("a = " + String(repeating: "x", count: 100_000)) }
        #expect(error.reason.english == "'\(String(repeating: "x", count: 60))…' is not a value")
    }
}

extension TOMLError.Message {
    fileprivate var english: String {
        UserMessage(code: code, arguments: arguments.mapValues(UserMessage.Argument.text)).english
    }
}
