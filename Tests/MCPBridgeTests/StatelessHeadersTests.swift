import AuthModel
import Testing

@testable import MCPBridge

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
        #expect(try fields(headers, #"{"method":"notifications/x"}"#) == [])
    }

    @Test func annotatedArgumentsAreRepeated() throws {
        var headers = StatelessHeaders()
        headers.learn(
            from: try JSONText(
                strict: Array(
                    """
                    {"result":{"tools":[
                      {"name":"query","inputSchema":{"properties":{
                        "region":{"type":"string","x-mcp-header":"Region"},
                        "deep":{"type":"object","properties":{"dry":{"type":"boolean","x-mcp-header":"Dry"}}},
                        "float":{"type":"number","x-mcp-header":"Float"},
                        "bad":{"type":"string","x-mcp-header":"B d"}}}},
                      {"name":"twice","inputSchema":{"properties":{
                        "a":{"type":"string","x-mcp-header":"X"},"b":{"type":"string","x-mcp-header":"x"}}}}]}}
                    """.utf8), depth: 32))
        #expect(
            try fields(
                headers,
                #"{"id":1,"method":"tools/call","params":{"name":"query","arguments":{"region":"eu\u00fc","deep":{"dry":true},"float":1,"bad":"x"}}}"#
            )
                == ["Mcp-Method: tools/call", "Mcp-Name: query", "Mcp-Param-Region: =?base64?ZXXDvA==?=", "Mcp-Param-Dry: true"])
        #expect(
            try fields(headers, #"{"id":1,"method":"tools/call","params":{"name":"twice","arguments":{"a":"1","b":"2"}}}"#)
                == ["Mcp-Method: tools/call", "Mcp-Name: twice"])
    }
}
