import AuthModel
import Testing

@testable import MCPBridge

@Suite struct RPCMessageTests {
    @Test(arguments: [
        #"{"jsonrpc":"2.0","id":1,"method":"a"}"#, #"{"jsonrpc":"2.0","id":"1","method":"a","x":{"y":[1e400]}}"#,
        #"{"jsonrpc":"2.0","method":"a"}"#, #"{"jsonrpc":"2.0","id":null,"error":{"code":1}}"#,
        #"[{"id":1,"method":"a"},{"id":2,"result":{}}]"#, #"{"id":1,"result":"cut \ud83d"}"#,
        #"{"id":1,"result":"\\ud83d \uD83D\ude00 \udE00x"}"#,
    ])
    func isPassedOnUnchanged(text: String) throws {
        #expect(try RPCMessage(text.utf8).bytes == Array(text.utf8))
    }

    @Test func becomesOneLine() throws {
        let message = try RPCMessage("{\r\n  \"id\": 1,\n  \"result\": \"a\\nb\"\n}".utf8)
        #expect(!message.bytes.contains { $0 == 10 || $0 == 13 })
        #expect(message.json.value == ["id": 1, "result": "a\nb"])
    }

    /// Half a character stays as it is; a whole one and an escaped backslash are not mistaken for one.
    @Test func halfACharacterIsReadAsUnknown() throws {
        let message = try RPCMessage(#"{"id":1,"result":"\ud83d\ud83d\ude00\\ud83d\ude00"}"#.utf8)
        #expect(message.json["result"]?.string == "\u{FFFD}\u{1F600}\\ud83d\u{FFFD}")
    }

    @Test(arguments: [
        (#"{"id":1,"result":"\ud83d"#, -32700), (#"{"id":1,"result":"\ud83d\x"}"#, -32700), ("{", -32700), ("", -32700),
        ("\u{FEFF}{}", -32700), (#"{"id":1,"id":2,"method":"a"}"#, -32700), (#"[{"id":1,"method":"a","\u0069d":2}]"#, -32700),
        ("{}", -32600), ("[]", -32600), ("1", -32600),
        (#"{"id":1}"#, -32600), (#"{"id":null,"method":"a"}"#, -32600), (#"{"id":{},"method":"a"}"#, -32600),
        (#"{"id":1,"method":2}"#, -32600),
    ])
    func otherTextsAreRefused(text: String, code: Int) {
        #expect { try RPCMessage(text.utf8) } throws: { ($0 as? RPCError)?.code == code }
    }

    /// A message is passed on without a tree of its values: 2 MB of small values must not become 100 MB.
    @Test func onlyTheBatchIsLimited() throws {
        let values = "[" + String(repeating: "1,", count: 1_000_000) + "1]"
        let message = try RPCMessage(#"{"id":1,"method":"tools/call","params":{"name":"x","arguments":{"a":\#(values)}}}"#.utf8)
        #expect(message.requests == [1])
        #expect(StatelessHeaders().fields(for: message).map(\.value) == ["tools/call", "x"])
        let batch = "[" + String(repeating: #"{"id":1,"result":{}},"#, count: 1000) + #"{"id":1,"result":{}}]"#
        #expect { try RPCMessage(batch.utf8) } throws: { ($0 as? RPCError)?.code == -32600 }
    }

    @Test func knowsItsRequestsAndResponses() throws {
        let batch = try RPCMessage(#"[{"id":1,"method":"a"},{"method":"b"},{"id":"x","result":{}}]"#.utf8)
        #expect(batch.requests == [1])
        #expect(batch.responses == ["x"])
        let stateless = try RPCMessage(
            #"{"id":1,"method":"a","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#.utf8)
        #expect(stateless.ownVersion == "2026-07-28")
        #expect(RPCError.parseError.line(answering: nil).starts(with: Array(#"{"jsonrpc":"2.0","id":null,"error""#.utf8)))
    }
}
