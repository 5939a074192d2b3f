import AuthModel
import OAuth
import Synchronization
import TestSupport
import Testing

@testable import AuthEngine
@testable import MCPBridge

/// The scenarios of the official client conformance suite (modelcontextprotocol/conformance 0.2.0-alpha.11) that are not about authorization,
/// under their names, as far as a bridge can keep or break them: everything passes unchanged, and HTTP has what the revision requires.
/// Those about authorization are in the tests of the command line.
@Suite(.timeLimit(.minutes(10))) struct ConformanceScenarioTests {
    /// What a client sends, and what the server answers to the requests in this order.
    struct Scenario: Sendable, CustomTestStringConvertible {
        let name: String
        let revision: String
        let lines: [String]
        let answers: [String]
        /// The status of the first answer.
        var status = 200
        var testDescription: String { "\(name) \(revision)" }
    }

    private static func request(_ id: Int, _ method: String, _ params: String = "", revision: String) -> String {
        let meta =
            "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"\(revision)\",\"io.modelcontextprotocol/clientCapabilities\":{}}"
        let members = [params, revision == dated ? "" : meta].filter { !$0.isEmpty }
        return "{\"jsonrpc\":\"2.0\",\"id\":\(id),\"method\":\"\(method)\",\"params\":{\(members.joined(separator: ","))}}"
    }

    private static func draftRequest(_ id: Int, _ method: String, _ params: String = "") -> String {
        request(id, method, params, revision: draft)
    }

    private static func result(_ id: Int, _ members: String) -> String { "{\"jsonrpc\":\"2.0\",\"id\":\(id),\"result\":{\(members)}}" }

    private static func tools(_ schema: String) -> String { "\"tools\":[{\"name\":\"test_tool\",\"inputSchema\":\(schema)}]" }

    private static let draft = "2026-07-28"
    private static let dated = "2025-11-25"

    private static let schema = ##"""
        {"$schema":"https://json-schema.org/draft/2020-12/schema","$defs":{"address":{"$anchor":"place","type":"string"}},\##
        "properties":{"a":{"$ref":"#/$defs/address"}},"allOf":[{"anyOf":[{"required":["a"]},{"required":["b"]}]}],\##
        "if":{"required":["a"]},"then":{"minProperties":1},"else":{"minProperties":2},"additionalProperties":false,"type":"object"}
        """##

    private static let both: [Scenario] = [dated, draft].flatMap { revision in
        [
            Scenario(
                name: "tools_call", revision: revision,
                lines: [
                    request(1, "tools/list", revision: revision),
                    request(2, "tools/call", #""name":"add_numbers","arguments":{"a":5,"b":3}"#, revision: revision),
                ], answers: [result(1, tools(#"{"type":"object"}"#)), result(2, #""content":[{"type":"text","text":"The sum is 8"}]"#)]),
            Scenario(
                name: "json-schema-2020-12-preservation", revision: revision,
                lines: [
                    request(1, "tools/list", revision: revision),
                    request(2, "tools/call", "\"name\":\"json_schema_echo\",\"arguments\":{\"schema\":\(schema)}", revision: revision),
                ], answers: [result(1, tools(schema)), result(2, #""content":[]"#)]),
        ]
    }

    private static let question = #""resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create"}}"#
    private static let response = #""inputResponses":{"a":{"action":"accept"}}"#
    private static let unsupported =
        #"{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"Unsupported protocol version","data":{"supported":["\#(draft)"]}}}"#

    private static let drafts: [Scenario] = [
        // The client's first choice of a version is rejected with the versions to choose from.
        Scenario(
            name: "request-metadata", revision: draft,
            lines: [
                request(1, "server/discover", revision: "2099-01-01"), draftRequest(2, "server/discover"), draftRequest(3, "tools/list"),
            ],
            answers: [unsupported, result(2, #""supportedVersions":["\#(draft)"]"#), result(3, #""tools":[]"#)], status: 400),
        Scenario(
            name: "http-standard-headers", revision: draft,
            lines: [
                draftRequest(1, "tools/list"), World.ready, draftRequest(2, "tools/call", #""name":"my-hyphenated-tool""#),
                draftRequest(3, "resources/list"), draftRequest(4, "resources/read", #""uri":"file:///path/to/file%20name.txt""#),
                draftRequest(5, "resources/read", #""uri":"https://example.com/resource?id=123""#), draftRequest(6, "prompts/list"),
                draftRequest(7, "prompts/get", #""name":"test_prompt""#),
            ], answers: (1...7).map { result($0, #""resultType":"complete""#) }),
        Scenario(
            name: "json-schema-ref-no-deref", revision: draft, lines: [draftRequest(1, "tools/list")],
            answers: [result(1, tools(#"{"type":"object","properties":{"a":{"$ref":"https://canary.example.org/schema.json"}}}"#))]),
        Scenario(
            name: "sep-2322-client-request-state", revision: draft,
            lines: [
                draftRequest(1, "tools/call", #""name":"test_mrtr_echo_state""#),
                draftRequest(2, "tools/call", #""name":"test_mrtr_unrelated""#),
                draftRequest(3, "tools/call", "\"name\":\"test_mrtr_echo_state\",\(response),\"requestState\":\"opaque\""),
                draftRequest(4, "tools/call", #""name":"test_mrtr_no_state""#),
                draftRequest(5, "tools/call", "\"name\":\"test_mrtr_no_state\",\(response)"),
                draftRequest(6, "tools/call", #""name":"test_mrtr_no_result_type""#),
            ],
            answers: [
                result(1, question + #","requestState":"opaque""#), result(2, ""), result(3, ""), result(4, question), result(5, ""),
                result(6, ""),
            ]
        ),
    ]

    @Test(arguments: both + drafts) func passesUnchanged(scenario: Scenario) async throws {
        let isAnswered: @Sendable (World.State, ManualTime) -> Bool = { state, _ in
            state.sent.count == scenario.lines.count - state.input.count
                && state.output.count == state.sent.count { World.id($0) != nil }
        }
        let state = try await World(scenario.lines, mayGoOn: isAnswered) { _, request in
            guard let id = World.id(request) else { return World.status(202) }
            return World.json(scenario.answers[id - 1], status: id == 1 ? scenario.status : 200)
        }.run()
        #expect(state.output == scenario.answers)
        // Nothing else is fetched.
        #expect(state.sent.map { String(decoding: $0.body, as: UTF8.self) } == scenario.lines)
        #expect(state.warnings == [])
        for request in state.sent where scenario.revision == Self.draft {
            let message = try JSONValue(strict: request.body)
            let params = message["params"]
            func field(_ name: String) -> String? { request.headers.first { $0.name == name }?.value }
            let version = params?["_meta"]?["io.modelcontextprotocol/protocolVersion"]?.string
            #expect(field("MCP-Protocol-Version") == version ?? Self.draft)
            #expect(field("Mcp-Method") == message["method"]?.string)
            #expect(field("Mcp-Name") == (params?["name"] ?? params?["uri"])?.string)
        }
    }

    /// The published requirements: each scenario of a revision has its tests here, or is about authorization.
    @Test(arguments: [
        (dated, ["elicitation-sep1034-client-defaults", "initialize", "json-schema-2020-12-preservation", "sse-retry", "tools_call"]),
        (
            draft,
            [
                "http-custom-headers", "http-invalid-tool-headers", "http-standard-headers", "json-schema-2020-12-preservation",
                "json-schema-ref-no-deref", "request-metadata", "sep-2322-client-request-state", "tools_call",
            ]
        ),
    ])
    func everyScenarioIsHere(revision: String, published: [String]) {
        let rows = (Self.both + Self.drafts).filter { $0.revision == revision }.map(\.name)
        // Those with a test of their own.
        let own =
            revision == Self.dated
            ? ["initialize", "elicitation-sep1034-client-defaults", "sse-retry"] : ["http-custom-headers", "http-invalid-tool-headers"]
        #expect((rows + own).sorted() == published)
    }

    // MARK: initialize

    /// The handshake reaches both sides unchanged. The scenario's server answers notifications like requests, and GET with an error.
    @Test("initialize", arguments: ["2025-06-18", dated]) func handshakePassesUnchanged(revision: String) async throws {
        let client = #""capabilities":{},"clientInfo":{"name":"client","version":"1.0.0"}"#
        let lines = [
            Self.request(1, "initialize", "\"protocolVersion\":\"\(revision)\",\(client)", revision: Self.dated), World.ready,
            Self.request(2, "tools/list", revision: Self.dated),
        ]
        let server = #""serverInfo":{"name":"test-server","version":"1.0.0"},"capabilities":{}"#
        let answers = [Self.result(1, "\"protocolVersion\":\"\(revision)\",\(server)"), Self.result(2, #""tools":[]"#)]
        let state = try await World(lines, mayGoOn: { state, _ in state.input.count != 1 || state.sent.count > 1 }) { _, request in
            guard request.method == .post else {
                return World.json(#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}"#, status: 400)
            }
            return World.json(World.id(request).map { answers[$0 - 1] } ?? #"{"jsonrpc":"2.0","result":{}}"#)
        }.run()
        #expect(state.output == answers)
        let posts = state.sent.filter { $0.method == .post }
        #expect(posts.map { String(decoding: $0.body, as: UTF8.self) } == lines)
        let versions = posts.map { post in post.headers.first { $0.name == "MCP-Protocol-Version" }?.value }
        #expect(versions == [nil, revision, revision])
        // Without a session there is nothing to end.
        #expect(!state.sent.contains { $0.method == .delete })
        #expect(state.warnings == [])
    }

    // MARK: elicitation-sep1034-client-defaults

    /// The question's defaults reach the client, and its answer the server, while the call that needs it is open. The defaults themselves are
    /// the client's to apply. The server numbers its requests itself, so that its first has the number of the client's first.
    @Test("elicitation-sep1034-client-defaults") func elicitationPassesUnchanged() async throws {
        let properties = #"""
            "name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},"score":{"type":"number","default":95.5},\#
            "status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},\#
            "verified":{"type":"boolean","default":true}
            """#
        let question =
            #"{"jsonrpc":"2.0","id":0,"method":"elicitation/create","params":{"message":"Accept","requestedSchema":"#
            + "{\"type\":\"object\",\"properties\":{\(properties)},\"required\":[]}}}"
        let content = #"{"name":"John Doe","age":30,"score":95.5,"status":"active","verified":true}"#
        let reply = #"{"jsonrpc":"2.0","id":0,"result":{"action":"accept","content":\#(content)}}"#
        let end = Self.result(1, #""content":[{"type":"text","text":"done"}]"#)
        let lines = [World.opening, World.ready, World.call(1), reply]
        let stream = World.openStream("event: message\ndata: \(question)\n\n")
        let state = try await World(
            lines,
            mayGoOn: { state, _ in
                switch state.input.count {
                case 1: state.output.last == question
                case 0: state.output.count == 3
                default: true
                }
            }
        ) { _, request in
            guard request.method == .post else { return World.status(405) }
            switch World.id(request) {
            case 0?: return World.opened("s1")
            case 1?: return stream
            default:
                if String(decoding: request.body, as: UTF8.self) == reply {
                    _ = Array("data: \(end)\n\n".utf8).withUnsafeBytes { stream.body.receive($0) }
                }
                return World.status(202)
            }
        }.run()
        #expect(state.output.dropFirst() == [question, end])
        #expect(state.sent.filter { $0.method == .post }.map { String(decoding: $0.body, as: UTF8.self) } == lines)
        let answer = state.sent(reply)
        #expect(answer.count == 1 && answer[0].headers.contains { $0.name == "Mcp-Session-Id" && $0.value == "s1" })
    }

    // MARK: sse-retry

    /// A stream that the server ends before the answer is continued after the server's pause, where it ended, and the call is not repeated. The
    /// stream of the server's own messages stays open.
    @Test("sse-retry") func streamIsContinuedAfterTheServersPause() async throws {
        let clock = Mutex<ManualTime?>(nil)
        let moments = Mutex<(end: Duration?, next: Duration?)>((nil, nil))
        let now: @Sendable () -> Duration = { clock.withLock { $0?.bootTime } ?? .zero }
        let answer = Self.result(1, #""content":[{"type":"text","text":"Reconnection test completed successfully"}]"#)
        let lines = [World.opening, World.ready, World.call(1)]
        let world = World(lines, mayGoOn: { state, _ in state.input.count > 0 || state.output.count == 2 }) { _, request in
            guard request.method == .post else {
                guard request.headers.contains(where: { $0.name == "Last-Event-ID" && $0.value == "event-1" }) else {
                    return World.openStream("id: event-2\nretry: 500\ndata: \n\n")
                }
                moments.withLock { $0.next = now() }
                return World.stream("id: event-3\nretry: 500\ndata: \n\nevent: message\nid: event-4\ndata: \(answer)\n\n")
            }
            switch World.id(request) {
            case 0?:
                return World.json(#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-03-26"}}"#, ("Mcp-Session-Id", "session-1"))
            case 1?:
                moments.withLock { $0.end = now() }
                return World.stream("id: event-1\nretry: 500\ndata: \n\n")
            default: return World.status(202)
            }
        }
        clock.withLock { $0 = world.time }
        let state = try await world.run(stepping: .milliseconds(10))
        #expect(state.output.last == answer && state.output.count == 2)
        #expect(state.sent.filter { $0.method == .post }.map { String(decoding: $0.body, as: UTF8.self) } == lines)
        let (end, next) = moments.withLock { ($0.end, $0.next) }
        #expect(try #require(next) - #require(end) >= .milliseconds(500))
        // It waits no longer, either.
        var position = StreamPosition()
        position.retry = .milliseconds(500)
        #expect(position.nextPause() == .milliseconds(500))
    }

    // MARK: http-invalid-tool-headers

    /// The properties of the scenario's tools, each against one rule, and the flaw.
    private static let invalid: [(tool: String, properties: String, flaw: String)] = [
        ("invalid_empty_header", #""value":{"type":"string","x-mcp-header":""}"#, "name"),
        ("invalid_object_header", #""data":{"type":"object","x-mcp-header":"Data"}"#, "type"),
        ("invalid_array_header", #""items":{"type":"array","items":{"type":"string"},"x-mcp-header":"Items"}"#, "type"),
        ("invalid_null_header", #""nil":{"type":"null","x-mcp-header":"Nil"}"#, "type"),
        (
            "invalid_duplicate_same_case",
            #""field1":{"type":"string","x-mcp-header":"Region"},"field2":{"type":"string","x-mcp-header":"Region"}"#, "duplicate"
        ),
        (
            "invalid_duplicate_diff_case",
            #""field1":{"type":"string","x-mcp-header":"MyField"},"field2":{"type":"string","x-mcp-header":"myfield"}"#, "duplicate"
        ),
        ("invalid_space_in_name", #""value":{"type":"string","x-mcp-header":"My Region"}"#, "name"),
        ("invalid_colon_in_name", #""value":{"type":"string","x-mcp-header":"Region:Primary"}"#, "name"),
        ("invalid_non_ascii_name", #""value":{"type":"string","x-mcp-header":"Région"}"#, "name"),
        ("invalid_control_char_name", #""value":{"type":"string","x-mcp-header":"Region\t1"}"#, "name"),
    ]

    /// Each invalid tool is left out with a warning, and the valid one can be called. Earlier revisions do not know the annotation.
    @Test("http-invalid-tool-headers", arguments: [dated, draft], [false, true])
    func toolsWithInvalidHeadersAreLeftOut(revision: String, inStream: Bool) async throws {
        func tool(_ name: String, _ properties: String) -> String {
            "{\"name\":\"\(name)\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\(properties)}}}"
        }
        let valid = tool("valid_tool", #""region":{"type":"string","x-mcp-header":"Region"}"#)
        func answer(_ tools: [String]) -> String { Self.result(1, "\"ttlMs\":0,\"tools\":[\(tools.joined(separator: ","))]") }
        let sent = answer([valid] + Self.invalid.map { tool($0.tool, $0.properties) })
        let lines = [
            Self.request(1, "tools/list", revision: revision),
            Self.request(2, "tools/call", #""name":"valid_tool","arguments":{"region":"eu"}"#, revision: revision),
        ]
        let called = Self.result(2, #""content":[]"#)
        let state = try await World(lines, mayGoOn: { state, _ in state.output.count == 2 - state.input.count }) { _, request in
            if World.id(request) == 2 { return World.json(called) }
            return inStream ? World.stream("data: \(sent)\n\n") : World.json(sent)
        }.run()
        let isDraft = revision == Self.draft
        #expect(state.output == [isDraft ? answer([valid]) : sent, called])
        let warnings = Self.invalid.map {
            UserMessage("mcp.tool_left_out", ["tool": $0.tool, "reason": UserMessage("phrase.tool_header_\($0.flaw)")])
        }
        #expect(state.warnings == (isDraft ? warnings : []))
        #expect(state.sent.last.map(Self.parameters) == (isDraft ? ["Mcp-Param-Region": "eu"] : [:]))
    }

    /// The scenario's server settles on the revision in a handshake, too, if a client opens with one.
    @Test("http-invalid-tool-headers after initialize") func handshakeMaySettleOnTheRevision() async throws {
        let client = #""capabilities":{},"clientInfo":{"name":"client","version":"1.0.0"}"#
        let lines = [
            Self.request(1, "initialize", "\"protocolVersion\":\"\(Self.dated)\",\(client)", revision: Self.dated), World.ready,
            Self.request(2, "tools/list", revision: Self.dated),
        ]
        func tool(_ name: String, _ type: String) -> String {
            #"{"name":"\#(name)","inputSchema":{"type":"object","properties":{"a":{"type":"\#(type)","x-mcp-header":"A"}}}}"#
        }
        let opened = Self.result(1, "\"protocolVersion\":\"\(Self.draft)\",\"capabilities\":{}")
        let listed = Self.result(2, "\"tools\":[\(tool("valid_tool", "string")),\(tool("invalid_tool", "object"))]")
        let state = try await World(lines, mayGoOn: { state, _ in state.input.count != 1 || state.sent.count > 1 }) { _, request in
            guard request.method == .post else { return World.json("{}", status: 405) }
            return World.json(World.id(request).map { $0 == 1 ? opened : listed } ?? #"{"jsonrpc":"2.0","result":{}}"#)
        }.run()
        #expect(state.output == [opened, Self.result(2, "\"tools\":[\(tool("valid_tool", "string"))]")])
        #expect(state.warnings.count == 1)
    }

    // MARK: http-custom-headers

    /// The arguments of the scenario's tool: the property, its type, the name in `x-mcp-header`, and the value.
    private static let arguments: [(property: String, type: String, header: String?, value: JSONValue)] = [
        ("region", "string", "Region", "us-west1"), ("priority", "integer", "Priority", 42), ("verbose", "boolean", "Verbose", false),
        ("debug", "boolean", "Debug", true), ("empty_val", "string", "EmptyVal", ""), ("method_val", "string", "Method", "test-method"),
        ("float_val", "number", nil, .number("3.14159")), ("non_ascii_val", "string", "NonAscii", "Hello, 世界"),
        ("whitespace_val", "string", "Whitespace", " padded "), ("leading_space_val", "string", "LeadingSpace", " us-west1"),
        ("trailing_space_val", "string", "TrailingSpace", "us-west1 "), ("internal_space_val", "string", "InternalSpace", "us west 1"),
        ("control_char_val", "string", "ControlChar", "line1\nline2"), ("crlf_val", "string", "CrLf", "line1\r\nline2"),
        ("tab_val", "string", "Tab", "\tindented"), ("query", "string", nil, "SELECT * FROM users"),
    ]

    /// The values that a header field cannot carry as they are.
    private static let encoded: Set = [
        "Hello, 世界", " padded ", " us-west1", "us-west1 ", "line1\nline2", "line1\r\nline2", "\tindented",
    ]

    /// Each argument with a header name is repeated in that field, and no other is; `null` counts as absent. Earlier revisions have no such
    /// fields.
    @Test("http-custom-headers", arguments: [dated, draft]) func argumentsAreRepeatedInHeaders(revision: String) async throws {
        let schema = JSONValue.object(
            Self.arguments.map { argument in
                let header = argument.header.map { [JSONValue.Member("x-mcp-header", .string($0))] } ?? []
                return .init(argument.property, .object([.init("type", .string(argument.type))] + header))
            })
        let tool = #"{"name":"test_custom_headers","inputSchema":{"type":"object","properties":\#(schema.text)}}"#
        let given = JSONValue.object(Self.arguments.map { .init($0.property, $0.value) }).text
        let lines = [
            Self.request(1, "tools/list", revision: revision),
            Self.request(2, "tools/call", "\"name\":\"test_custom_headers\",\"arguments\":\(given)", revision: revision),
            Self.request(
                3, "tools/call", #""name":"test_custom_headers","arguments":{"region":"us-east1","priority":1,"verbose":null}"#,
                revision: revision),
        ]
        let answers = [Self.result(1, "\"tools\":[\(tool)]"), Self.result(2, #""content":[]"#), Self.result(3, #""content":[]"#)]
        let state = try await World(lines, mayGoOn: { state, _ in state.output.count == 3 - state.input.count }) { _, request in
            World.json(answers[(World.id(request) ?? 1) - 1])
        }.run()
        #expect(state.output == answers)
        #expect(state.sent.map { String(decoding: $0.body, as: UTF8.self) } == lines)
        var wanted: [String: String] = [:]
        for argument in Self.arguments {
            guard let header = argument.header else { continue }
            let text = argument.value.string ?? argument.value.text
            wanted["Mcp-Param-" + header] = Self.encoded.contains(text) ? "=?base64?\(Base64.encode(Array(text.utf8)))?=" : text
        }
        let isDraft = revision == Self.draft
        let none: [[String: String]] = [[:], [:], [:]]
        let sparse = ["Mcp-Param-Region": "us-east1", "Mcp-Param-Priority": "1"]
        #expect(state.sent.map(Self.parameters) == (isDraft ? [[:], wanted, sparse] : none))
    }

    private static func parameters(_ request: WebRequest) -> [String: String] {
        Dictionary(request.headers.filter { $0.name.hasPrefix("Mcp-Param-") }.map { ($0.name, $0.value) }) { first, _ in first + " twice" }
    }
}
