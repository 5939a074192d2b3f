/// An operation of the session service: what is asked, as one value.
///
/// The type defines the request, the reply, the JSON of both, and the rules of the operation. The services that carry it out have a handler
/// for it in ``OperationHandlers``. AddingAnOperation.md says what a new one needs.
package protocol SessionOperation: WireValue {
    associatedtype Reply: Sendable

    /// Path and rules of the operation in the agent's protocol.
    static var route: OperationRoute { get }
    static func encode(_ reply: Reply, _ texts: MessageTexts) -> JSONValue
    /// Decodes a reply.
    ///
    /// - Parameter skipped: called for each element of a list that could not be read.
    static func decode(_ reply: WireReader, skipped: (SkippedElement) -> Void) throws(WireError) -> Reply
}

extension SessionOperation where Reply: WireValue {
    package static func encode(_ reply: Reply, _ texts: MessageTexts) -> JSONValue { reply.wire(texts) }

    package static func decode(_ reply: WireReader, skipped: (SkippedElement) -> Void) throws(WireError) -> Reply {
        try Reply(wire: reply.document)
    }
}

/// An operation without a reply answers with an empty object.
extension SessionOperation where Reply == Void {
    package static func encode(_ reply: Void, _ texts: MessageTexts) -> JSONValue { .object([]) }
    package static func decode(_ reply: WireReader, skipped: (SkippedElement) -> Void) throws(WireError) {}
}

/// An operation whose reply is a list. Elements that cannot be read are skipped.
package protocol ListOperation: SessionOperation where Reply == [Element] {
    associatedtype Element: WireValue

    /// The member of the reply that is the list.
    static var member: String { get }
}

extension ListOperation {
    package static func encode(_ reply: Reply, _ texts: MessageTexts) -> JSONValue { .members((member, reply.wire(texts))) }

    package static func decode(_ reply: WireReader, skipped: (SkippedElement) -> Void) throws(WireError) -> Reply {
        try reply.readable(member, skipped: skipped)
    }
}

/// An operation whose request has no members.
package protocol PlainOperation: SessionOperation {
    init()
}

extension PlainOperation {
    package init(wire: JSONValue) throws(WireError) { self.init() }
    package func wire(_ texts: MessageTexts) -> JSONValue { .object([]) }
}

/// A path of the agent's protocol, with its rules. The OpenAPI document lists the same, and a test compares them.
package struct OperationRoute: Hashable, Sendable {
    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case delete = "DELETE"
    }

    /// Rules of a route.
    package struct Rules: OptionSet, Hashable, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        /// The operation needs no key, so it is answered while the store is locked.
        package static let worksWhileLocked = Rules(rawValue: 1)
        /// The operation may be sent again to a new agent, after the first one ended during it.
        ///
        /// A token request may be: the first agent may have sent the refresh token and ended before it saved the response. The store then
        /// still has the old token, which the next request sends in any case. A provider with a grace period accepts it; without one, the
        /// session was lost with the first agent, and the repeated request only reports that.
        ///
        /// A sign-in and its requests end with their agent. A registration may have been made, and an unregistration done.
        package static let isRepeatable = Rules(rawValue: 1 << 1)
        /// Programs repeat it for each request of their own, so its connection is kept.
        package static let isFrequent = Rules(rawValue: 1 << 2)
        /// The operation waits for no provider, no other process and no user.
        package static let isQuick = Rules(rawValue: 1 << 3)
        /// The user of the keys is at work, so the lock after an idle time begins anew.
        package static let countsAsUse = Rules(rawValue: 1 << 4)
        /// Tokens that were issued before may be the wrong ones from now on.
        package static let changesTokens = Rules(rawValue: 1 << 5)
        /// The restricted socket, which is forwarded to other machines, answers it too.
        package static let isForwarded = Rules(rawValue: 1 << 6)
    }

    /// The name in the OpenAPI document.
    package let name: String
    package let method: Method
    /// The path. `{id}` stands for the request's member of that name.
    package let path: String
    package let rules: Rules

    package init(_ name: String, _ method: Method, _ path: String, _ rules: Rules) {
        self.name = name
        self.method = method
        self.path = path
        self.rules = rules
    }

    /// The path before and after its variable part; `nil` if it has none.
    package var parts: (before: Substring, after: Substring)? {
        guard let open = path.firstIndex(of: "{"), let close = path.firstIndex(of: "}") else { return nil }
        return (path[..<open], path[path.index(after: close)...])
    }

    /// The member that the variable part of the path stands for.
    package static let variable = "id"

    /// Returns the target and the body of an HTTP request with these members: one may be part of the path, the others are the query of a
    /// `GET`, or the body.
    package func request(_ members: JSONValue) -> (target: String, body: JSONValue?) {
        var rest = members.members ?? []
        var target = path
        if let parts, let index = rest.firstIndex(where: { $0.name == Self.variable }) {
            target = parts.before + (rest.remove(at: index).value.string ?? "") + parts.after
        }
        guard method != .post else { return (target, rest.isEmpty ? nil : .object(rest)) }
        let query = rest.compactMap { member in member.value.string.map { (member.name, $0) } }
        return (query.isEmpty ? target : target + "?" + FormEncoding.encode(query), nil)
    }

    /// Returns the members of a received request.
    ///
    /// - Parameters:
    ///   - variable: the variable part of its path.
    ///   - query: its query, decoded.
    package func members(variable: String?, query: [(name: String, value: String)], body: JSONValue?) -> JSONValue {
        var members = body?.members ?? query.map { JSONValue.Member($0.name, .string($0.value)) }
        guard let variable else { return body ?? .object(members) }
        members.removeAll { $0.name == Self.variable }
        return .object(members + [JSONValue.Member(Self.variable, .string(variable))])
    }
}

/// The handlers that carry out the operations of a service, one for each type of operation.
///
/// A handler is found by the identity of its type, because a look-up of conformances would cost most of a program's start.
package struct OperationHandlers<Service: Sendable>: Sendable {
    /// Carries out one type of operation.
    package typealias Handler<Operation: SessionOperation> = @Sendable (Service, Operation) async throws(AuthFailure) -> Operation.Reply

    private final class Box<Operation: SessionOperation>: Sendable {
        let handler: Handler<Operation>
        init(_ handler: @escaping Handler<Operation>) { self.handler = handler }
    }

    private var handlers: [ObjectIdentifier: any AnyObject & Sendable] = [:]

    package init() {}

    /// The handler of an operation; `nil` if there is none.
    package subscript<Operation: SessionOperation>(type: Operation.Type) -> Handler<Operation>? {
        (handlers[ObjectIdentifier(type)] as? Box<Operation>)?.handler
    }

    /// Sets the handler of an operation.
    package mutating func on<Operation: SessionOperation>(_ type: Operation.Type, _ handler: @escaping Handler<Operation>) {
        handlers[ObjectIdentifier(type)] = Box(handler)
    }

    /// Carries out an operation. Throws `.bug` if there is no handler for it.
    package func perform<Operation: SessionOperation>(
        _ operation: Operation, by service: Service
    ) async throws(AuthFailure) -> Operation.Reply {
        guard let handler = self[Operation.self] else {
            throw AuthFailure(.bug, UserMessage("agent.no_operation_handler", ["operation": Operation.route.name]))
        }
        return try await handler(service, operation)
    }
}
