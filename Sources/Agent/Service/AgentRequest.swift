public import AuthModel
import Localization

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

    /// The query, decoded.
    var query: [(name: String, value: String)] {
        target.firstIndex(of: "?").flatMap { FormEncoding.decode(String(target[target.index(after: $0)...])) } ?? []
    }

    /// Returns what is asked of a route. Throws `.usage` if the body is not in the protocol's form.
    ///
    /// - Parameter variable: the variable part of the path.
    func members(of route: OperationRoute, variable: String?) throws(AuthFailure) -> JSONValue {
        guard route.method == .post, !body.isEmpty else { return route.members(variable: variable, query: query, body: nil) }
        let document: JSONValue
        do {
            document = try JSONValue(strict: body, limits: JSONValue.Limits(bytes: AgentProtocol.requestLimit, depth: 8))
        } catch {
            throw AuthFailure(
                .usage, "agent.body_not_json",
                hint: UserMessage("json.problem_at_byte", ["reason": error.kind.message, "offset": error.offset]))
        }
        return route.members(variable: variable, query: [], body: document)
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

    /// The reply to an operation.
    static func reply<Operation: SessionOperation>(to operation: Operation.Type, _ reply: Operation.Reply) -> AgentAnswer {
        .json(Operation.encode(reply, .english))
    }

    static func failure(_ failure: AuthFailure, status: Int? = nil) -> AgentAnswer {
        .json(.members(("error", failure.wire)), status: status ?? failure.httpStatus)
    }
}

extension MessageTexts {
    /// The texts of the protocol.
    static let english = MessageTexts { $0.english }
}

extension WireValue {
    /// The JSON encoding, with English texts.
    var wire: JSONValue { wire(.english) }

    /// Reads what is asked. Throws `.usage` if it is not in the protocol's form.
    init(asked members: JSONValue) throws(AuthFailure) {
        do throws(WireError) { try self.init(wire: members) } catch { throw error.failure }
    }
}

extension AuthFailure {
    /// The failure as JSON: in the agent's answers, and in the output of commands with `--json`.
    public var object: JSONValue { wire }

    /// The HTTP status of the answer with this failure.
    var httpStatus: Int {
        switch kind {
        case .bug: 500
        case .configuration, .cancelled, .alreadySignedIn: 409
        case .timedOut: 504
        case .denied, .security: 403
        case .signInAgain: 401
        case .unavailable: message.code == UnlockGate.busy ? 429 : 503
        case .notSignedIn: 404
        case .usage: 400
        }
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
