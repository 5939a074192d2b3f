import AuthModel
import Testing

/// Strict parsing (RFC 8259), and output that is safe to display.
@Suite struct JSONValueTests {
    private func kind(_ text: String, limits: JSONValue.Limits = .standard) -> JSONError.Kind? {
        do {
            _ = try JSONValue(strict: text, limits: limits)
            return nil
        } catch {
            return error.kind
        }
    }

    @Test func readsEveryKindOfValue() throws {
        let value = try JSONValue(strict: #" {"a":[1,-2.5e3,"x",true,false,null],"b":{}} "#)
        #expect(value == ["a": [1, .number("-2.5e3"), "x", true, false, .null], "b": [:]])
    }

    @Test(arguments: [
        "", " ", "{", "}", "[", "[1,]", "[,1]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{'a':1}", "01", "-", "+1", "1.", ".5", "1e",
        "1e+",
        "0x1", "NaN", "Infinity", "tru", "nul", "True", "\"", "\"\\x\"", "\"\\u12\"", "\"\\u12G4\"", "\"\t\"", "\"\n\"", "1 2", "{} {}",
        "[]x",
        "\u{FEFF}{}", "// c\n1", "\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0041\"", "\u{0}",
    ])
    func rejectsInvalidJSON(_ text: String) {
        #expect(kind(text) == .malformed)
    }

    @Test func rejectsDuplicateMembersAtEveryLevel() {
        // SWF-01: two parsers must not read different values.
        #expect(kind(#"{"a":1,"a":2}"#) == .duplicateMember("a"))
        #expect(kind(#"{"a":1,"\u0061":1}"#) == .duplicateMember("a"))
        #expect(kind(#"[{"x":{"b":1,"b":1}}]"#) == .duplicateMember("b"))
        #expect(kind(#"{"a":{"b":1},"b":2}"#) == nil)
    }

    /// é in one and in two characters, and the Kelvin sign and K, are different names and texts (RFC 8259 section 8.3).
    @Test(arguments: [("\u{E9}", "e\u{301}"), ("\u{212A}", "K"), ("a\u{323}\u{307}", "a\u{307}\u{323}")])
    func textsAreComparedByTheirBytes(first: String, second: String) throws {
        let value = try JSONValue(strict: "{\"\(first)\":1,\"\(second)\":2}")
        #expect(value[first] == 1 && value[second] == 2)
        #expect(JSONValue.string(first) != .string(second))
        #expect(JSONValue.members((first, 1)) != .members((second, 1)))
        let text = try JSONText(strict: Array("{\"\(first)\":1,\"\(second)\":2}".utf8), depth: 2)
        #expect(text[first]?.value == 1 && text[second]?.value == 2)
        #expect(first.asciiLowercased().hasSameBytes(as: first) && "Kk\u{212A}".asciiLowercased().hasSameBytes(as: "kk\u{212A}"))
    }

    @Test func countsValues() {
        #expect(kind("[1,{\"a\":2}]", limits: .init(values: 4)) == nil)
        #expect(kind("[1,{\"a\":2}]", limits: .init(values: 3)) == .tooLarge)
        // 1 MB of text would be 500,000 values.
        #expect(kind("[" + String(repeating: "1,", count: 400_000) + "1]") == .tooLarge)
    }

    @Test(
        arguments: [[0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xE2, 0x82, 0x22]] as [[UInt8]])
    func rejectsInvalidUTF8(_ bytes: [UInt8]) {
        #expect(throws: JSONError.self) { try JSONValue(strict: bytes) }
    }

    @Test func enforcesDepthAndSizeLimits() {
        func nested(_ levels: Int) -> String { String(repeating: "[", count: levels) + String(repeating: "]", count: levels) }
        #expect(kind(nested(32)) == nil)
        #expect(kind(nested(34)) == .tooDeep)
        #expect(kind(nested(100_000)) == .tooDeep)
        #expect(kind("[1,2,3]", limits: .init(bytes: 6)) == .tooLarge)
        #expect(kind("[1,2,3]", limits: .init(bytes: 7)) == nil)
    }

    @Test(arguments: [
        (#""\u00e9\ud83d\ude00""#, "é😀"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u0000""#, "\u{0}"), ("\"é\"", "é"),
    ])
    func readsEscapes(_ text: String, _ expected: String) throws {
        #expect(try JSONValue(strict: text).string == expected)
    }

    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("1e3", 1000), ("1.0", 1), ("9223372036854775807", Int64.max), ("1.5", nil), ("1e400", nil), ("1e30", nil),
            ("9223372036854775808", nil), ("\"1\"", nil), ("true", nil),
        ] as [(String, Int64?)])
    func integerAcceptsWholeNumbersOnly(_ text: String, _ expected: Int64?) throws {
        #expect(try JSONValue(strict: text).integer == expected)
    }

    @Test func keepsTheTextOfNumbers() throws {
        #expect(try JSONValue(strict: "1795203250.921401").text == "1795203250.921401")
        #expect(try JSONValue(strict: "1e400").double == nil)
    }

    @Test func escapesTerminalControlCharacters() throws {
        // TRM-01, TRM-02: controls, C1, bidi overrides, zero-width characters.
        let value = JSONValue.string("a\u{1B}]52;c\u{7}\u{9B}\u{202E}\u{200B}\u{7F}😀\"\\")
        #expect(value.text == #""a\u001b]52;c\u0007\u009b\u202e\u200b\u007f\ud83d\ude00\"\\""#)
        #expect(value.text.utf8.allSatisfy { (0x20...0x7E).contains($0) })
        #expect(try JSONValue(strict: value.text) == value)
        let document: JSONValue = ["a": [1, ["b": .null]], "c": [:], "d": []]
        #expect(try JSONValue(strict: document.indentedText) == document)
        #expect(document.indentedText == "{\n  \"a\": [\n    1,\n    {\n      \"b\": null\n    }\n  ],\n  \"c\": {},\n  \"d\": []\n}")
    }

    @Test func stringsIsNilUnlessAllElementsAreStrings() {
        #expect(JSONValue.array(["a", "b"]).strings == ["a", "b"])
        #expect(JSONValue.array(["a", 1]).strings == nil)
        #expect(JSONValue.string("a").strings == nil)
    }
}
