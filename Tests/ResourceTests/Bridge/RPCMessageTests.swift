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

@Suite struct ServerSentEventsTests {
    private func events(_ text: String, by size: Int = 1 << 20) -> [ServerSentEvents.Event] {
        var reader = ServerSentEvents()
        var rest = Array(text.utf8)[...]
        var found: [ServerSentEvents.Event] = []
        while !rest.isEmpty {
            found += reader.read(rest.prefix(size)) ?? []
            rest = rest.dropFirst(size)
        }
        return found
    }

    private static let text =
        "\u{FEFF}: a comment\nid: 1\ndata: a\ndata:b\n\nevent: ping\r\ndata\r\n\r\ndata:  c\rid:\0\r\rid: 9\n\nretry: 20\ndata: lost"

    /// The bytes may arrive in any portions, and lines may end in three ways.
    @Test(arguments: [1, 2, 3, 7, 1000])
    func readsAnyPortions(size: Int) {
        let found = events(Self.text, by: size)
        #expect(found.map { String(decoding: $0.data, as: UTF8.self) } == ["a\nb", "", " c", ""])
        #expect(found.map(\.type) == ["message", "ping", "message", "message"])
        #expect(found.map(\.id) == ["1", nil, nil, "9"])
    }

    /// Single bytes make the same events, and no more of them.
    @Test(arguments: [10_000, 20_000, 40_000]) func singleBytesMakeTheSameEvents(count: Int) {
        let text = (0..<count / 10).map { "data:\($0)\n\n" }.joined() + "data:" + String(repeating: "a", count: count) + "\n\n"
        #expect(events(text, by: 1) == events(text))
    }

    @Test(arguments: [("retry: 20\n", 20), ("retry: -1\n", nil), ("retry: 1x\n", nil), ("retry: 9999999999\n", nil)] as [(String, Int?)])
    func retryIsANumber(text: String, milliseconds: Int?) {
        var reader = ServerSentEvents()
        _ = reader.read(text.utf8)
        #expect(reader.retry == milliseconds.map { .milliseconds($0) })
    }

    /// An identifier becomes a header field.
    @Test(arguments: ["a\u{7F}", "ä", "\t"]) func identifierIsSafeInAField(id: String) {
        #expect(events("id: \(id)\ndata: x\n\n").first?.id == nil)
    }
}

@Suite struct StatelessHeadersTests {
    private func fields(_ headers: StatelessHeaders, _ text: String) throws -> [String] {
        headers.fields(for: try RPCMessage(text.utf8)).map { "\($0.name): \($0.value)" }
    }

    @Test(arguments: [
        ("plain text", "plain text"), ("", ""), (" a", "=?base64?IGE=?="), ("ü", "=?base64?w7w=?="), ("a\nb", "=?base64?YQpi?="),
        ("=?base64?YQ==?=", "=?base64?PT9iYXNlNjQ/WVE9PT89?="),
    ])
    func valuesSurviveAField(value: String, field: String) {
        #expect(StatelessHeaders.encoded(value) == field)
    }

    @Test func requestIsRepeatedInFields() throws {
        let headers = StatelessHeaders()
        #expect(try fields(headers, #"{"id":1,"method":"tools/list"}"#) == ["Mcp-Method: tools/list"])
        #expect(
            try fields(headers, #"{"id":1,"method":"resources/read","params":{"uri":"a:b","name":"x"}}"#)
                == ["Mcp-Method: resources/read", "Mcp-Name: a:b"])
        #expect(
            try fields(headers, #"{"id":1,"method":"tasks/get","params":{"taskId":"7"}}"#) == ["Mcp-Method: tasks/get", "Mcp-Name: 7"])
        #expect(try fields(headers, #"{"method":"notifications/x"}"#) == ["Mcp-Method: notifications/x"])
        #expect(try fields(headers, #"{"id":1,"result":{}}"#) == [])
    }

    private func tools(_ tools: String) throws -> JSONText {
        try JSONText(strict: Array(#"{"id": 1.0, "result":{"tools": [\#(tools)], "ttlMs" : 0}}"#.utf8), depth: 100)
    }

    @Test func annotatedArgumentsAreRepeated() throws {
        var headers = StatelessHeaders()
        let invalid = headers.learn(
            from: try tools(
                """
                {"name":"query","inputSchema":{"properties":{
                  "region":{"type":"string","x-mcp-header":"Region"},
                  "x-mcp-header":{"type":"string"},
                  "deep":{"type":"object","properties":{"dry":{"type":"boolean","x-mcp-header":"Dry"}}},
                  "count":{"type":"integer","x-mcp-header":"Count","default":{"x-mcp-header":1}}}}}
                """))
        #expect(invalid == [])
        #expect(
            try fields(
                headers,
                #"""
                {"id":1,"method":"tools/call","params":{"name":"query","arguments":
                {"region":"eu\u00fc","deep":{"dry":true},"count":7,"x-mcp-header":"x"}}}
                """#
            ) == [
                "Mcp-Method: tools/call", "Mcp-Name: query", "Mcp-Param-Region: =?base64?ZXXDvA==?=", "Mcp-Param-Dry: true",
                "Mcp-Param-Count: 7",
            ])
    }

    /// MCP 2026-07-28, Streamable HTTP: "Constraints on x-mcp-header values".
    @Test(arguments: [
        (#"{"properties":{"a":{"type":"string","x-mcp-header":""}}}"#, ArgumentHeader.Flaw.name),
        (#"{"properties":{"a":{"type":"string","x-mcp-header":"My Region"}}}"#, .name),
        (#"{"properties":{"a":{"type":"string","x-mcp-header":"A:B"}}}"#, .name),
        (#"{"properties":{"a":{"type":"string","x-mcp-header":"R\u00e9gion"}}}"#, .name),
        (#"{"properties":{"a":{"type":"string","x-mcp-header":"A\t1"}}}"#, .name),
        (#"{"properties":{"a":{"type":"string","x-mcp-header":"A\r\nB"}}}"#, .name),
        (#"{"properties":{"a":{"type":"string","x-mcp-header":7}}}"#, .name),
        (#"{"properties":{"a":{"type":"object","x-mcp-header":"A"}}}"#, .type),
        (#"{"properties":{"a":{"type":"array","items":{},"x-mcp-header":"A"}}}"#, .type),
        (#"{"properties":{"a":{"type":"null","x-mcp-header":"A"}}}"#, .type),
        (#"{"properties":{"a":{"type":"number","x-mcp-header":"A"}}}"#, .type),
        (#"{"properties":{"a":{"type":["string","null"],"x-mcp-header":"A"}}}"#, .type),
        (#"{"properties":{"a":{"x-mcp-header":"A"}}}"#, .type),
        (#"{"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"A"}}}"#, .duplicate),
        (
            #"{"properties":{"a":{"type":"string","x-mcp-header":"MyField"},"b":{"properties":{"c":{"type":"string","x-mcp-header":"myfield"}}}}}"#,
            .duplicate
        ),
        (#"{"properties":{"a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}}}"#, .place),
        (#"{"anyOf":[{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}]}"#, .place),
        (#"{"$defs":{"A":{"type":"string","x-mcp-header":"A"}},"properties":{"a":{"$ref":"A"}}}"#, .place),
        (#"{"type":"object","x-mcp-header":"A"}"#, .place),
        (#"{"properties":{"a":{"type":"string","x-mcp-header":"A"}},"properties":{}}"#, .unreadable),
    ])
    func invalidAnnotationIsFound(schema: String, flaw: ArgumentHeader.Flaw) throws {
        var headers = StatelessHeaders()
        let list = try tools(#"{"name":"good", "inputSchema":{}}, {"name":"bad","inputSchema":\#(schema)} ,{"name":"last"}"#)
        let invalid = headers.learn(from: list)
        #expect(invalid == [.init(name: "bad", flaw: flaw)])
        #expect(
            String(decoding: StatelessHeaders.removing(invalid, from: list), as: UTF8.self)
                == #"{"id": 1.0, "result":{"tools":[{"name":"good", "inputSchema":{}},{"name":"last"}], "ttlMs" : 0}}"#)
        #expect(
            try fields(headers, #"{"id":1,"method":"tools/call","params":{"name":"bad","arguments":{"a":"1"}}}"#)
                == ["Mcp-Method: tools/call", "Mcp-Name: bad"])
    }

    /// A server may page through tools for ever, and each list may be long: what is kept of them is limited, and what cannot be checked is
    /// not passed on.
    @Test func listsOfToolsAreLimited() throws {
        var headers = StatelessHeaders()
        let schema = #"{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}"#
        func list(_ names: [String]) throws -> JSONText {
            try tools(names.map { #"{"name":"\#($0)","inputSchema":\#(schema)}"# }.joined(separator: ","))
        }
        #expect(headers.learn(from: try list((0..<10_000).map { "a\($0)" })).isEmpty)
        #expect(headers.learn(from: try list(["a1", "b"])) == [.init(name: "b", flaw: .excess)])
        let long = String(repeating: "n", count: 1025)
        var others = StatelessHeaders()
        #expect(others.learn(from: try list([long])) == [.init(name: long, flaw: .excess)])
        #expect(!StatelessHeaders.isTooLong(try list((0..<10_000).map { "a\($0)" })))
        #expect(StatelessHeaders.isTooLong(try list((0...10_000).map { "a\($0)" })))
    }
}
