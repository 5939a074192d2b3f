internal import AuthModel
internal import OAuth

/// The header fields that repeat parts of a request in the stateless protocol of 2026-07-28, so that gateways need not read bodies.
struct StatelessHeaders: Sendable {
    /// For each tool, the header fields of its arguments.
    private var fields: [ExactText: [ArgumentHeader]] = [:]

    /// The maximum number of tools in a list, and of tools with header fields.
    private static let toolLimit = 10_000
    /// The maximum length in bytes of the name of a tool with header fields.
    private static let nameLimit = 1024

    /// The member of `params` that names what a method is about.
    private static let names = [
        "tools/call": "name", "prompts/get": "name", "resources/read": "uri",
        "tasks/get": "taskId", "tasks/update": "taskId", "tasks/cancel": "taskId",
    ]

    /// A tool whose definition a client must not use, and why.
    struct InvalidTool: Equatable {
        let name: String
        let flaw: ArgumentHeader.Flaw
    }

    /// Learns the header fields of tools from the result of `tools/list`. Returns the tools whose annotations are invalid.
    mutating func learn(from response: JSONText) -> [InvalidTool] {
        var invalid: [InvalidTool] = []
        for tool in response["result"]?["tools"]?.elements(limit: Self.toolLimit) ?? [] {
            guard let name = tool["name"]?.string, let schema = tool["inputSchema"] else { continue }
            fields[ExactText(name)] = nil
            do throws(ArgumentHeader.Flaw) {
                guard let schema = schema.value else { throw .unreadable }
                let found = try ArgumentHeader.all(in: schema)
                guard !found.isEmpty else { continue }
                guard fields.count < Self.toolLimit, name.utf8.count <= Self.nameLimit else { throw .excess }
                fields[ExactText(name)] = found
            } catch {
                invalid.append(InvalidTool(name: name, flaw: error))
            }
        }
        return invalid
    }

    /// Whether the result of `tools/list` has more tools than are read, so that the invalid ones are not known.
    static func isTooLong(_ response: JSONText) -> Bool {
        guard let list = response["result"]?["tools"], list.isArray else { return false }
        return list.elements(limit: toolLimit) == nil
    }

    /// Returns the result of `tools/list` without the invalid tools; everything else stays byte by byte.
    static func removing(_ invalid: [InvalidTool], from response: JSONText) -> [UInt8] {
        let names = Set(invalid.map { ExactText($0.name) })
        guard let list = response["result"]?["tools"] else { return response.text }
        return response.keeping(elementsOf: list, limit: toolLimit) { tool in
            !(tool["name"]?.string.map { names.contains(ExactText($0)) } ?? false)
        }
    }

    /// Returns the fields for a request or a notification.
    ///
    /// - Parameter withArguments: whether to repeat the arguments of tools as well.
    func fields(for message: RPCMessage, withArguments: Bool = true) -> [(name: String, value: String)] {
        let method: String
        switch message.kind {
        case .request(_, let name), .notification(let name): method = name
        case .response, .batch: return []
        }
        var headers = [(name: "Mcp-Method", value: Self.encoded(method))]
        let params = message.json["params"]
        guard let key = Self.names[method], let name = params?[key]?.string else { return headers }
        headers.append(("Mcp-Name", Self.encoded(name)))
        guard withArguments, method == "tools/call" else { return headers }
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

/// The annotation `x-mcp-header` of a tool's argument: the header field that repeats it (MCP 2026-07-28, Streamable HTTP).
struct ArgumentHeader: Equatable, Sendable {
    /// The names of the properties that lead to the argument.
    let path: [String]
    /// The end of the field's name, after `Mcp-Param-`.
    let name: String

    /// A violation of the rules for annotations.
    enum Flaw: Error {
        /// The name is empty, or no name of a header field.
        case name
        /// Two arguments have the same name, apart from case.
        case duplicate
        /// The argument is no string, integer or boolean.
        case type
        /// The annotated schema is not that of an argument: only properties of properties are.
        case place
        /// There are more annotations, or deeper ones, than a request can carry.
        case excess
        /// The schema is too large to read, or has a member twice.
        case unreadable
    }

    private static let annotation = "x-mcp-header"
    /// The maximum number of annotations in one tool, and the maximum depth of its schema.
    private static let limit = 64
    private static let depth = 64
    /// The keywords of JSON Schema 2020-12 whose value is a schema or a list of schemas, and those whose members are schemas.
    private static let schemas = [
        "items", "prefixItems", "additionalItems", "contains", "additionalProperties", "unevaluatedItems", "unevaluatedProperties",
        "propertyNames", "contentSchema", "allOf", "anyOf", "oneOf", "not", "if", "then", "else",
    ]
    private static let tables = ["patternProperties", "dependentSchemas", "$defs", "definitions"]

    /// Returns the annotations of a tool's input schema. Throws if one of them is invalid.
    static func all(in schema: JSONValue) throws(Flaw) -> [ArgumentHeader] {
        var found: [ArgumentHeader] = []
        if schema[annotation] != nil { throw .place }
        try collect(schema, at: [], into: &found)
        guard Set(found.map { $0.name.asciiLowercased() }).count == found.count else { throw .duplicate }
        return found
    }

    private static func collect(_ schema: JSONValue, at path: [String], into found: inout [ArgumentHeader]) throws(Flaw) {
        for property in schema["properties"]?.members ?? [] {
            let own = path + [property.name]
            if let value = property.value[annotation] {
                guard let name = value.string, name.isHTTPToken else { throw .name }
                guard ["string", "integer", "boolean"].contains(property.value["type"]?.string) else { throw .type }
                found.append(ArgumentHeader(path: own, name: name))
            }
            guard found.count <= limit, own.count <= depth else { throw .excess }
            try collect(property.value, at: own, into: &found)
        }
        for part in parts(of: schema) where try isAnnotated(part, level: path.count) { throw .place }
    }

    /// The schemas within a schema, except those of its properties.
    private static func parts(of schema: JSONValue) -> [JSONValue] {
        schemas.flatMap { name in schema[name].map { $0.array ?? [$0] } ?? [] }
            + tables.flatMap { schema[$0]?.members?.map(\.value) ?? [] }
    }

    /// Whether a schema, or one within it, has an annotation.
    private static func isAnnotated(_ schema: JSONValue, level: Int) throws(Flaw) -> Bool {
        guard level <= depth else { throw .excess }
        if schema[annotation] != nil { return true }
        for part in parts(of: schema) + (schema["properties"]?.members?.map(\.value) ?? []) {
            if try isAnnotated(part, level: level + 1) { return true }
        }
        return false
    }
}
