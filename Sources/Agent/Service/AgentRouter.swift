public import AuthModel
import Localization

/// The routes of the agent itself. Those of operations are in their types.
extension OperationRoute {
    static let agent = OperationRoute("agent", .get, "/v1/", [.worksWhileLocked, .isRepeatable, .isQuick, .isForwarded])
    static let description = OperationRoute(
        "description", .get, "/v1/openapi.json", [.worksWhileLocked, .isRepeatable, .isQuick])
    static let events = OperationRoute("events", .get, "/v1/events", [.worksWhileLocked, .isQuick])
    static let signIn = OperationRoute("signIn", .post, "/v1/sign-ins", [])
    static let command = OperationRoute("command", .post, "/v1/command", [])
    static let stop = OperationRoute("stop", .post, "/v1/stop", [.worksWhileLocked, .isQuick])
}

/// Finds the entry that answers a request: one for each operation, and those of the agent itself.
struct AgentRouter: Sendable {
    /// Answers a request. Its last argument is what is asked.
    typealias Answering = @Sendable (AgentService, AgentRequest, JSONValue) async throws(AuthFailure) -> AgentResponse

    /// A route and the function that answers it.
    struct Entry: Sendable {
        let route: OperationRoute
        let answer: Answering
    }

    /// The result of a search for a method and a path.
    enum Match: Sendable {
        case entry(Entry, variable: String?)
        /// The path exists, for other methods.
        case wrongMethod(allowed: [String])
        case unknown
    }

    static let shared = AgentRouter()

    /// All entries.
    let entries: [Entry]
    /// The routes without a variable part, by path, so that frequent requests need no search.
    private let entriesByPath: [String: [Entry]]
    private let patterns: [Entry]

    init() {
        let own = Self.own
        let names = Set(own.map(\.route.name))
        entries = own + SessionOperations.all.filter { !names.contains($0.route.name) }.map { Self.entry(for: $0) }
        entriesByPath = Dictionary(grouping: entries.filter { $0.route.parts == nil }, by: \.route.path)
        patterns = entries.filter { $0.route.parts != nil }
    }

    private static func entry<Operation: SessionOperation>(for type: Operation.Type) -> Entry {
        Entry(route: type.route) { service, request, members throws(AuthFailure) in
            .reply(to: type, try await service.perform(Operation(requestMembers: members), for: request.caller))
        }
    }

    /// Returns the entry for a method and a path.
    func match(method: String, path: String) -> Match {
        let found: [(entry: Entry, variable: String?)] =
            entriesByPath[path]?.map { ($0, nil) }
            ?? patterns.compactMap { entry in Self.variable(of: entry.route, in: path).map { (entry, $0) } }
        if let (entry, variable) = found.first(where: { $0.entry.route.method.rawValue == method }) {
            return .entry(entry, variable: variable)
        }
        return found.isEmpty ? .unknown : .wrongMethod(allowed: found.map(\.entry.route.method.rawValue))
    }

    /// Returns the variable part of a path; `nil` for another path.
    private static func variable(of route: OperationRoute, in path: String) -> String? {
        guard let (before, after) = route.parts, path.hasPrefix(before), path.hasSuffix(after),
            path.utf8.count > before.utf8.count + after.utf8.count
        else { return nil }
        let variable = path.dropFirst(before.count).dropLast(after.count)
        return variable.utf8.allSatisfy { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "-") } ? String(variable) : nil
    }

    // MARK: The agent's own answers

    private static let own = [
        Entry(route: .agent) { service, _, _ throws(AuthFailure) in
            .json(AgentStatus(facts: service.facts, seal: try await service.sessionService.storeState()).wire)
        },
        Entry(route: .description) { _, _, _ in .document(status: 200, AgentDescription.bytes) },
        Entry(route: .events) { service, _, members in
            let selection: SessionServiceEvent.Selection =
                members["activity"]?.string == "false" ? .changes : members["answers"]?.string == "true" ? .interactive : .all
            return .events(encoded(await service.sessionService.events(selection)))
        },
        // The attempt's id first, then its events. If the reader disconnects, the attempt is cancelled.
        Entry(route: .signIn) { service, _, members throws(AuthFailure) in
            let attempt = try await service.sessionService.signIn(SignInRequest(requestMembers: members))
            return .events(encoded(attempt.events, after: .members(("type", "begun"), ("attempt", .string(attempt.id.text)))))
        },
        // With the processes that caused the activity.
        Entry(route: ListActivity.route) { service, _, members throws(AuthFailure) in
            .json(.members(("activity", try service.log.recent(ListActivity(requestMembers: members).limit).wire(.english))))
        },
        Entry(route: .command) { service, request, members throws(AuthFailure) in
            .output(try await service.run(LauncherCommand(requestMembers: members), for: request))
        },
        Entry(route: .stop) { service, _, _ in
            // End the sessions that end with the agent before the caller gets its answer.
            await service.sessionService.endProcessSessions()
            service.stop()
            return .json(.object([]))
        },
    ]

    /// Encodes the events one by one, as the reader takes them.
    private static func encoded<Event: WireValue>(_ events: AsyncStream<Event>, after first: JSONValue? = nil) -> AsyncStream<JSONValue> {
        let (stream, continuation) = AsyncStream.makeStream(of: JSONValue.self)
        let task = Task {
            if let first { continuation.yield(first) }
            for await event in events { continuation.yield(event.wire) }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }
}

/// The answer to a request, by its route.
extension AgentService {
    /// Returns whether the answer is usually ready at once, without a long computation or a blocking wait.
    func isAnsweredOnLoop(_ request: AgentRequest) -> Bool {
        request.path == IssueToken.route.path && request.method == IssueToken.route.method.rawValue
    }

    /// Answers one request. A failure is an answer too; this never throws.
    func answer(_ request: AgentRequest) async -> AgentResponse {
        if let refusal = refusal(of: request) { return refusal }
        switch AgentRouter.shared.match(method: request.method, path: request.path) {
        case .unknown:
            return .failure(AuthFailure(.usage, "agent.no_such_path", hint: "hint.see_openapi"), status: 404)
        case .wrongMethod(let allowed):
            return .failure(
                AuthFailure(
                    .usage,
                    UserMessage(
                        "agent.method_not_accepted",
                        [
                            "allowed": UserMessage.list(allowed.map(UserMessage.verbatim), by: .or),
                            "method": Self.safeWord(request.method),
                        ])),
                status: 405)
        case .entry(let entry, let variable):
            do throws(AuthFailure) {
                if !entry.route.rules.contains(.worksWhileLocked), let obstacle = try await obstacle() {
                    return .failure(obstacle, status: 423)
                }
                return try await entry.answer(self, request, request.members(of: entry.route, variable: variable))
            } catch {
                return .failure(error)
            }
        }
    }

    /// Returns why the store has no keys; `nil` if it is unlocked or could be unlocked now. Without a store no key is missing: there is no
    /// session, and a sign-in reports what it needs.
    func obstacle() async throws(AuthFailure) -> AuthFailure? {
        guard try await sessionService.storeState() == .locked(isNew: false) else { return nil }
        do throws(AuthFailure) { try await sessionService.unlockIfNoPassphraseNeeded() } catch { return error }
        guard try await sessionService.storeState() != .unlocked else { return nil }
        return AuthFailure(.configuration, "store.locked", hint: "hint.unlock_store_with_agent")
    }
}

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
enum AgentResponse: Sendable {
    case document(status: Int, [UInt8])
    /// Server-sent events, until the stream ends or the reader disconnects.
    case events(AsyncStream<JSONValue>)
    /// The output of a command.
    case output(LauncherCommand.Output)

    static func json(_ value: JSONValue, status: Int = 200) -> AgentResponse { .document(status: status, Array(value.text.utf8)) }

    static func reply<Operation: SessionOperation>(to operation: Operation.Type, _ reply: Operation.Reply) -> AgentResponse {
        .json(Operation.encode(reply, .english))
    }

    static func failure(_ failure: AuthFailure, status: Int? = nil) -> AgentResponse {
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
    init(requestMembers members: JSONValue) throws(AuthFailure) {
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
        case .unavailable: message.code == UnlockQueue.busy ? 429 : 503
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
