import AuthModel

/// A request, read from a connection.
struct AgentRequest: Sendable {
    var method: String
    /// Path and query.
    var target: String
    /// The values of our own header fields; `nil` if they were not sent.
    var protocolVersion: String?
    var store: String?
    var configuration: String?
    var programVersion: String?
    var body: [UInt8]
    /// The calling process, as the kernel reports it.
    var caller: Caller

    var path: String { String(target.prefix { $0 != "?" }) }

    /// Returns a query parameter, decoded; `nil` if it is missing.
    func parameter(_ name: String) -> String? {
        guard let mark = target.firstIndex(of: "?") else { return nil }
        let query = String(target[target.index(after: mark)...])
        return FormEncoding.decode(query)?.first { $0.name == name }?.value
    }
}

/// The agent's answer to a request.
enum AgentAnswer: Sendable {
    case document(status: Int, [UInt8])
    /// Server-sent events, until the stream ends or the reader disconnects.
    case events(AsyncStream<JSONValue>)
    /// The output of a command.
    case output(LauncherCommand.Result)

    static func json(_ value: JSONValue, status: Int = 200) -> AgentAnswer { .document(status: status, Array(value.text.utf8)) }

    static func failure(_ failure: AuthFailure, status: Int? = nil) -> AgentAnswer {
        .json(.members(("error", failure.wire)), status: status ?? failure.httpStatus)
    }
}

extension AgentRequest {
    /// Reads the body. Throws `.usage` if it is not in the protocol's form.
    func read<Value>(_ body: (WireReader) throws(WireError) -> Value) throws(AuthFailure) -> Value {
        let document: JSONValue
        do {
            document = try JSONValue(strict: self.body, limits: JSONValue.Limits(bytes: AgentProtocol.requestLimit, depth: 8))
        } catch {
            throw AuthFailure(
                .usage, "agent.body_not_json",
                hint: UserMessage("json.problem_at_byte", ["reason": error.kind.message, "offset": error.offset]))
        }
        do throws(WireError) {
            return try body(WireReader(document))
        } catch {
            throw error.failure
        }
    }
}

extension WireValue {
    init(body request: AgentRequest) throws(AuthFailure) {
        self = try request.read { (reader) throws(WireError) in try Self(wire: reader.document) }
    }
}

extension JSONError.Kind {
    fileprivate var message: UserMessage {
        switch self {
        case .tooLarge: "phrase.json_too_large"
        case .tooDeep: "phrase.json_too_deep"
        case .notUTF8: "phrase.json_not_utf8"
        case .duplicateMember: "phrase.json_repeats_member"
        case .malformed: "phrase.json_malformed"
        }
    }
}
