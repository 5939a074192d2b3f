import AuthModel
import MCPBridge
import Synchronization
import Testing

@testable import CommandLineTool

/// An MCP client at `yett mcp`, in this process. Its user runs each command that an error names, or clicks on each page.
final class ConformanceClient: Sendable {
    let world: CommandWorld
    let address: String
    let revision: String
    /// Whether the client shows the addresses of pages (elicitation in URL mode).
    let showsPages: Bool
    /// What the command line lets the bridge do by itself.
    let permission: MCPCredentials.SignInPermission
    private let visits = Mutex(0)
    /// The number of pages on which the user has clicked.
    var visitCount: Int { visits.withLock(\.self) }

    init(
        world: CommandWorld, address: String, revision: String, showsPages: Bool = false,
        permission: MCPCredentials.SignInPermission = .init()
    ) {
        (self.world, self.address, self.revision, self.showsPages) = (world, address, revision, showsPages)
        self.permission = permission
    }

    /// The maximum number of commands that the user runs for one request.
    private static let limit = 4

    /// Lines in both directions.
    private final class Pipe: BridgeStreams {
        private let input = AsyncStream.makeStream(of: [UInt8].self)
        private let output = AsyncStream.makeStream(of: [UInt8].self)

        func nextLine() async -> [UInt8]? {
            var lines = input.stream.makeAsyncIterator()
            return await lines.next()
        }

        func write(line: [UInt8]) async -> Bool {
            output.continuation.yield(line)
            return true
        }

        func warn(_ message: UserMessage) {}

        func send(_ message: JSONValue) { input.continuation.yield(Array(message.text.utf8)) }

        func end() { input.continuation.finish() }

        func answer(to id: Int) async -> JSONValue? { await message { $0["id"]?.integer == Int64(id) } }

        /// Returns the next message of which this is true; those before it are discarded.
        func message(where isWanted: (JSONValue) -> Bool) async -> JSONValue? {
            var lines = output.stream.makeAsyncIterator()
            while let line = await lines.next() {
                if let message = try? JSONValue(strict: line), isWanted(message) { return message }
            }
            return nil
        }
    }

    /// Opens the bridge, lists the tools and calls one. Returns the failures of requests that no command of the user helped.
    func run() async throws -> [String] {
        var edges = world.edges(into: StreamRecorder(told: nil))
        edges.login = { [world] arguments, _ in await world.run(["login"] + arguments).status }
        let context = CommandContext(
            edges: edges, options: GlobalOptions(), console: Console(streams: edges.streams, environment: edges.environment))
        guard let url = WebURL(address) else { return ["no URL"] }
        let credentials = MCPCredentials(address: url, named: nil, permission: permission, context: context)
        let pipe = Pipe()
        let bridge = Bridge(
            address: url, streams: pipe, transport: edges.transport, policy: try await credentials.transportPolicy(),
            credentials: credentials, time: edges.time)
        let running = Task { await bridge.run() }
        var failures: [String] = []
        var id = 0
        for method in isStateless ? ["tools/list", "tools/call"] : ["initialize", "tools/list", "tools/call"] {
            if let failure = await answer(method, &id, in: pipe) { failures.append("\(method): \(failure)") }
            if method == "initialize" { pipe.send(["jsonrpc": "2.0", "method": "notifications/initialized"]) }
        }
        pipe.end()
        await running.value
        await credentials.end()
        return failures
    }

    private var isStateless: Bool { revision >= "2026-07-28" }

    /// Sends a request until it succeeds, or its error leads nowhere. Returns the last error.
    private func answer(_ method: String, _ id: inout Int, in pipe: Pipe) async -> String? {
        var error: String?
        var resumed: [JSONValue.Member] = []
        for _ in 0...Self.limit {
            id += 1
            pipe.send(request(method, id, resumed))
            guard let answer = await pipe.answer(to: id) else { return "no answer" }
            if let result = answer["result"], result["resultType"]?.string != "input_required" { return nil }
            error = answer["error"]?["message"]?.string ?? "no error"
            if showsPages, let next = await visitPage(named: answer, in: pipe) {
                visits.withLock { $0 += 1 }
                resumed = next
                continue
            }
            guard !permission.opensBrowser, let command = error?.split(separator: "yett login ", maxSplits: 1).dropFirst().first else {
                return error
            }
            let arguments = command.split(separator: " ").map { String($0).replacing("'", with: "") }
            // Whether to trust another authorization server is a question.
            let isMove = error?.contains("no longer accepts tokens") == true
            let user = CommandWorld.User(hasTerminal: isMove, lines: isMove ? ["1"] : [])
            let login = await world.run(["login"] + arguments, user: user)
            if login.status != 0 { return "\(error ?? ""): \(login.errors)" }
        }
        return error
    }

    /// Clicks on the page that an answer names. Returns what the next request must carry; `nil` if the answer names none.
    private func visitPage(named answer: JSONValue, in pipe: Pipe) async -> [JSONValue.Member]? {
        let result = answer["result"]
        let asked = result?["inputRequests"]?.members?.first
        let elicitation = isStateless ? asked?.value["params"] : answer["error"]?["data"]?["elicitations"]?.array?.first
        guard let url = elicitation?["url"]?.string.flatMap({ WebURL($0) }), elicitation?["mode"]?.string == "url",
            await StartPageVisitor(address: url).click() != nil
        else { return nil }
        guard isStateless else {
            let id = elicitation?["elicitationId"]
            let end = await pipe.message { $0["method"]?.string == "notifications/elicitation/complete" }
            return answer["error"]?["code"]?.integer == -32042 && end?["params"]?["elicitationId"] == id ? [] : nil
        }
        guard let asked, let state = result?["requestState"] else { return nil }
        return [.init("inputResponses", .object([.init(asked.name, ["action": "accept"])])), .init("requestState", state)]
    }

    private var capabilities: JSONValue { showsPages ? ["elicitation": ["url": .object([])]] : .object([]) }

    private func request(_ method: String, _ id: Int, _ more: [JSONValue.Member]) -> JSONValue {
        var params: [JSONValue.Member] = []
        if method == "initialize" {
            params = [
                .init("protocolVersion", .string(revision)), .init("capabilities", capabilities),
                .init("clientInfo", ["name": "client", "version": "1"]),
            ]
        }
        if method == "tools/call" { params = [.init("name", "test-tool"), .init("arguments", .object([]))] }
        if isStateless {
            params.append(
                .init(
                    "_meta",
                    [
                        "io.modelcontextprotocol/protocolVersion": .string(revision),
                        "io.modelcontextprotocol/clientCapabilities": capabilities,
                    ]))
        }
        return ["jsonrpc": "2.0", "id": .number("\(id)"), "method": .string(method), "params": .object(params + more)]
    }
}
