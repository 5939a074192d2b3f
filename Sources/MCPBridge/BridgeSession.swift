internal import AuthModel
internal import OAuth

/// The session of the bridge at the server: its address, identifier and protocol version.
struct BridgeSession: Sendable {
    /// The address for messages; the older protocol with two addresses names it.
    var address: WebURL
    /// The number of the one stream with all answers, if the server speaks the protocol of 2024-11-05.
    var stream: Int?
    /// Whether messages to the server have an address of their own, and all answers come in one stream.
    var isTwoAddress: Bool { stream != nil }
    /// The session's identifier, if the server gave one.
    var id: String?
    /// The version that `initialize` settled.
    var version: String?
    /// The request that opened the session, to open another one when the server has lost it.
    var opening: RPCMessage?
    /// Grows with each session of the server.
    var number = 0
    var headers = StatelessHeaders()

    init(address: WebURL) { self.address = address }

    /// Returns a request that carries a message.
    func post(_ message: RPCMessage) -> WebRequest {
        var request = WebRequest(
            method: .post, url: address,
            headers: [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")], body: message.bytes)
        if let version = message.ownVersion {
            request.headers.append(("MCP-Protocol-Version", StatelessHeaders.encoded(version)))
            request.headers += headers.fields(for: message)
        } else if !message.isOpening {
            addSession(to: &request)
        }
        return request
    }

    /// Returns a request for the stream of the server's own messages, or for the rest of a stream.
    func listen(after lastEvent: String? = nil) -> WebRequest {
        var request = WebRequest(method: .get, url: address, headers: [("Accept", "text/event-stream"), ("Cache-Control", "no-store")])
        addSession(to: &request)
        if let lastEvent { request.headers.append(("Last-Event-ID", lastEvent)) }
        return request
    }

    /// Returns the request that ends the session; `nil` if there is none.
    func ending() -> WebRequest? {
        guard id != nil else { return nil }
        var request = WebRequest(method: .delete, url: address, headers: [("Accept", "application/json")])
        addSession(to: &request)
        return request
    }

    /// Whether a server that answers 404 to the message has lost the session.
    func isLost(by message: RPCMessage) -> Bool {
        (id != nil || isTwoAddress) && message.ownVersion == nil && !message.isOpening
    }

    private func addSession(to request: inout WebRequest) {
        if let id { request.headers.append(("Mcp-Session-Id", id)) }
        if let version { request.headers.append(("MCP-Protocol-Version", version)) }
    }

    /// Takes the identifier in the answer to `initialize`. Only visible ASCII is allowed.
    mutating func begin(id: String?) {
        number += 1
        let isValid = id.map { (1...1024).contains($0.utf8.count) && $0.utf8.allSatisfy { (0x21...0x7E).contains($0) } } ?? false
        self.id = isValid ? id : nil
        version = nil
    }
}

/// The header fields that repeat parts of a request in the stateless protocol of 2026-07-28, so that gateways need not read bodies.
struct StatelessHeaders: Sendable {
    /// For each tool, the header fields of its arguments: the path of the argument and the end of the field's name.
    private var fields: [ExactText: [(path: [String], name: String)]] = [:]

    /// The maximum number of tools in a list, and of fields for one tool.
    private static let toolLimit = 10_000
    private static let fieldLimit = 64

    /// The member of `params` that names what a method is about.
    private static let names = ["tools/call": "name", "prompts/get": "name", "resources/read": "uri"]

    /// Learns the header fields of tools from the result of `tools/list`.
    mutating func learn(from response: JSONText) {
        for tool in response["result"]?["tools"]?.elements(limit: Self.toolLimit) ?? [] {
            guard let name = tool["name"]?.string, let schema = tool["inputSchema"]?.value else { continue }
            var found: [(path: [String], name: String)] = []
            Self.collect(schema, at: [], into: &found)
            let isUsable = found.count <= Self.fieldLimit && Set(found.map { $0.name.asciiLowercased() }).count == found.count
            fields[ExactText(name)] = found.isEmpty || !isUsable ? nil : found
        }
    }

    /// Collects the annotated properties that a chain of `properties` reaches.
    private static func collect(_ schema: JSONValue, at path: [String], into found: inout [(path: [String], name: String)]) {
        guard path.count <= 32 else { return }
        for property in schema["properties"]?.members ?? [] {
            let own = path + [property.name]
            let isScalar = ["string", "integer", "boolean"].contains(property.value["type"]?.string)
            if isScalar, let name = property.value["x-mcp-header"]?.string, name.isHTTPToken { found.append((own, name)) }
            collect(property.value, at: own, into: &found)
        }
    }

    /// Returns the fields for a request.
    func fields(for message: RPCMessage) -> [(name: String, value: String)] {
        guard case .request(_, let method) = message.kind else { return [] }
        var headers = [(name: "Mcp-Method", value: Self.encoded(method))]
        let params = message.json["params"]
        guard let key = Self.names[method], let name = params?[key]?.string else { return headers }
        headers.append(("Mcp-Name", Self.encoded(name)))
        guard method == "tools/call" else { return headers }
        for field in fields[ExactText(name)] ?? [] {
            let value = field.path.reduce(params?["arguments"]) { $0?[$1] }
            if let text = Self.text(value?.value) { headers.append(("Mcp-Param-\(field.name)", Self.encoded(text))) }
        }
        return headers
    }

    private static func text(_ value: JSONValue?) -> String? {
        switch value {
        case .bool(let isOn)?: isOn ? "true" : "false"
        case .number(let text)?, .string(let text)?: text
        default: nil
        }
    }

    /// Returns a value that a header field carries unchanged: as it is, or in base64 with a mark.
    static func encoded(_ text: String) -> String {
        let isPlain =
            text.utf8.allSatisfy { (0x20...0x7E).contains($0) } && text.first != " " && text.last != " "
            && !(text.hasPrefix("=?base64?") && text.hasSuffix("?="))
        return isPlain ? text : "=?base64?\(Base64.encode(Array(text.utf8)))?="
    }
}

extension RPCMessage {
    /// Whether the message opens a session.
    var isOpening: Bool { kind.isOpening }
}
