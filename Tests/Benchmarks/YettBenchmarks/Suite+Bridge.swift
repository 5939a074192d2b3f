import Glibc
import ProcessHarness

/// Measurements of `yett mcp` beside the same requests without a bridge.
extension Suite {
    /// The number of tool calls of one client.
    private static let calls = 100

    /// A server that answers each call at once, so that only the way there is measured.
    private static let server = """
        import http.server, json, sys
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # An answer in one piece: the client's delayed acknowledgement would cost 40 ms between two.
            wbufsize = -1
            def do_POST(self):
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                body = json.dumps({"jsonrpc": "2.0", "id": request.get("id"), "result": {"content": []}}).encode()
                self.send_response(200 if "id" in request else 202)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            def log_message(self, *words): pass
        # All calls connect at once; a full queue costs a second each.
        http.server.ThreadingHTTPServer.request_queue_size = 128
        http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
        """

    /// Measures what the bridge adds to a tool call.
    func bridge() async throws {
        guard let python = Product.installed("python3"), let curl = Product.installed("curl") else {
            return print("yett mcp was not measured: it needs python3 and curl")
        }
        let home = try await FilledHome(sessions: 8)
        let port = Int.random(in: 20_000..<24_000)
        let origin = try Program(
            python, ["-c", Self.server, "\(port)"], environment: home.environment, limit: .seconds(3_600)
        ).start()
        defer { origin.signal(SIGTERM) }
        try home.allowTokens(at: "127.0.0.1:\(port)")
        let url = "http://127.0.0.1:\(port)/mcp"
        func call(_ id: Int) -> String { #"{"jsonrpc":"2.0","id":\#(id),"method":"tools/call","params":{"name":"add","arguments":{}}}"# }
        try await MeasuredAgent.run(home) { _ in
            try await eventually("the server does not answer") {
                try await Program(curl, ["-sSf", "-d", call(1), url], environment: home.environment).run().status == 0
            }
            func direct(_ count: Int) async throws -> Duration {
                let targets = (0..<count).flatMap { _ in ["-o", "/dev/null", url] }
                return try await time(Program(curl, ["-sSf", "-d", call(1)] + targets, environment: home.environment))
            }
            func bridged(_ count: Int) async throws -> Duration {
                let lines = (0..<count).map { call($0) + "\n" }.joined()
                return try await time(
                    Program(
                        try Product.program("yett-main"), ["mcp", url, "--session", "provider7"], environment: home.environment,
                        input: lines))
            }
            let results = try await Measurement.alternating(
                rounds: rounds,
                [
                    { try await direct(1) }, { try await direct(Self.calls + 1) }, { try await bridged(1) },
                    { try await bridged(Self.calls + 1) },
                ])
            let plain = (results[1].median - results[0].median) / Self.calls
            let passed = (results[3].median - results[2].median) / Self.calls
            print(
                "a tool call through yett mcp, \(Self.calls) at once: \(Measurement.milliseconds(passed)); "
                    + "by curl, one after the other: \(Measurement.milliseconds(plain))")
        }
    }

    /// Returns the time of a program's whole run.
    private func time(_ program: Program) async throws -> Duration {
        let start = clock.now
        let result = try await program.run()
        guard result.status == 0 else { throw HarnessError("\(program.path): \(result)") }
        return clock.now - start
    }
}
