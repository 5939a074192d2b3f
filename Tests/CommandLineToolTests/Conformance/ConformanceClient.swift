import AuthModel
import MCPBridge

@testable import CommandLineTool

/// An MCP client at `yett mcp`, in this process. Its user runs each command that an error names.
struct ConformanceClient {
    let world: CommandWorld
    let address: String
    let revision: String

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

        func answer(to id: Int) async -> JSONValue? {
            var lines = output.stream.makeAsyncIterator()
            while let line = await lines.next() {
                if let message = try? JSONValue(strict: line), message["id"]?.integer == Int64(id) { return message }
            }
            return nil
        }
    }

    /// Opens the bridge, lists the tools and calls one. Returns the failures of requests that no command of the user helped.
    func run() async throws -> [String] {
        let edges = world.edges(into: StreamRecorder(told: nil))
        let context = CommandContext(
            edges: edges, options: GlobalOptions(), console: Console(streams: edges.streams, environment: edges.environment))
        guard let url = WebURL(address) else { return ["no URL"] }
        let credentials = MCPCredentials(address: url, named: nil, signsIn: false, context: context)
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

    /// Sends a request until it succeeds, or its error names no command. Returns the last error.
    private func answer(_ method: String, _ id: inout Int, in pipe: Pipe) async -> String? {
        var error: String?
        for _ in 0...Self.limit {
            id += 1
            pipe.send(request(method, id))
            guard let answer = await pipe.answer(to: id) else { return "no answer" }
            guard answer["result"] == nil else { return nil }
            error = answer["error"]?["message"]?.string ?? "no error"
            guard let command = error?.split(separator: "yett login ", maxSplits: 1).dropFirst().first else { return error }
            let arguments = command.split(separator: " ").map { String($0).replacing("'", with: "") }
            // Whether to trust another authorization server is a question.
            let isMove = error?.contains("no longer accepts tokens") == true
            let user = CommandWorld.User(hasTerminal: isMove, lines: isMove ? ["1"] : [])
            let login = await world.run(["login"] + arguments, user: user)
            if login.status != 0 { return "\(error ?? ""): \(login.errors)" }
        }
        return error
    }

    private func request(_ method: String, _ id: Int) -> JSONValue {
        var params: [JSONValue.Member] = []
        if method == "initialize" {
            params = [
                .init("protocolVersion", .string(revision)), .init("capabilities", .object([])),
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
                        "io.modelcontextprotocol/clientCapabilities": .object([]),
                    ]))
        }
        return ["jsonrpc": "2.0", "id": .number("\(id)"), "method": .string(method), "params": .object(params)]
    }
}
