import AuthModel
import Testing

/// A JSON text that is read in parts.
@Suite struct JSONTextTests {
    private func text(_ text: String) throws -> JSONText { try JSONText(strict: Array(text.utf8), depth: 32) }

    @Test func partsAreReadWhereTheyAreNeeded() throws {
        let json = try text(#" { "a" : [1 , {"b":"x\u00e9"}], "\u0063" : -2.5e3, "d":{} ,"e":null} "#)
        #expect(json.isObject && !json.isArray)
        #expect(json["a"]?.elements(limit: 2)?.map(\.value) == [1, ["b": "xé"]])
        #expect(json["a"]?.elements(limit: 1) == nil)
        #expect(json["a"]?.elements(limit: 2)?.last?["b"]?.string == "xé")
        #expect(json["c"]?.value == .number("-2.5e3"))
        #expect(json["d"]?.isObject == true && json["d"]?["x"] == nil)
        #expect(json["e"]?.value == .null && json["e"]?.string == nil && json["f"] == nil)
    }

    /// Everything is checked, also what is not read.
    @Test(arguments: [
        "", "{", "[1,]", "{\"a\"}", "{\"a\":}", "{a:1}", "01", "tru", "\"\\x\"", "\"\\u12\"", "\"\t\"", "1 2", "\u{FEFF}1",
        "{\"a\":\"\\u12G4\"}",
    ])
    func otherTextsAreRefused(invalid: String) {
        #expect(throws: JSONError.self) { try text(invalid) }
        guard !invalid.isEmpty else { return }
        #expect(throws: JSONError.self) { try text("{\"x\":[\(invalid)]}") }
    }

    @Test func depthAndEncodingAreChecked() {
        #expect(throws: JSONError.self) { try text(String(repeating: "[", count: 40) + String(repeating: "]", count: 40)) }
        #expect(throws: JSONError.self) { try JSONText(strict: [0x22, 0xFF, 0x22], depth: 1) }
    }

    /// Two readers must not read different values of a member that is read.
    @Test func repeatedMemberIsNotRead() throws {
        let json = try text(#"{"a":1,"\u0061":2,"b":3,"c":4,"c":5}"#)
        #expect(json["a"] == nil && json["b"]?.value == 3)
        #expect(throws: JSONError.self) { try json.members(["b", "a"]) }
    }

    /// Half a character is read as U+FFFD; a whole one and an escaped backslash are not mistaken for one.
    @Test func halfACharacterIsReadAsUnknown() throws {
        let json = try text(#"["\ud83d\ud83d\ude00\\ud83d\ude00"]"#)
        #expect(json.value == ["\u{FFFD}\u{1F600}\\ud83d\u{FFFD}"])
    }

    /// Everything else keeps its bytes.
    @Test func membersAreReplacedWhereTheyStand() throws {
        let json = try text(#"{ "x" : 1.50, "p":{"a" : [1.0], "\u0062":2,"c":"\u00e9"} }"#)
        let params = try #require(json["p"])
        func changed(_ values: [(name: String, value: [UInt8]?)]) -> String {
            String(decoding: json.setting(values, in: params), as: UTF8.self)
        }
        #expect(changed([("b", nil)]) == #"{ "x" : 1.50, "p":{"a": [1.0],"c":"\u00e9"} }"#)
        #expect(
            changed([("a", Array("7".utf8)), ("d", Array("[]".utf8))]) == #"{ "x" : 1.50, "p":{"\u0062":2,"c":"\u00e9","a":7,"d":[]} }"#)
        #expect(changed([("a", nil), ("b", nil), ("c", nil), ("e", nil)]) == #"{ "x" : 1.50, "p":{} }"#)
    }

    /// What is not read takes no memory: ten million values are only their bytes.
    @Test func largePartsAreSkipped() throws {
        let large = "[" + String(repeating: "1,", count: 1_000_000) + "1]"
        let json = try text(#"{"id":7,"result":\#(large)}"#)
        #expect(json["id"]?.value == 7)
        #expect(json["result"]?.isArray == true && json["result"]?.value == nil)
    }
}
