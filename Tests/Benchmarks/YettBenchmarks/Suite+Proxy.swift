import Glibc
import ProcessHarness

/// Measurements of `yett proxy` beside a proxy that adds nothing.
extension Suite {
    /// The size of the large body, in bytes.
    private static let size = 1 << 30
    /// The number of small requests of one command, on one connection each.
    private static let requests = 50

    /// A server of files that keeps connections, as an API does.
    private static let server = """
        import http.server, os, sys
        class Handler(http.server.SimpleHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # An answer in one piece: the client's delayed acknowledgement would cost 40 ms between two.
            wbufsize = -1
            def log_message(self, *words): pass
        os.chdir(sys.argv[2])
        http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
        """

    /// Measures the throughput of a large body and the time of small requests.
    func proxy() async throws {
        guard let socat = Product.installed("socat"), let python = Product.installed("python3"), let curl = Product.installed("curl") else {
            return print("yett proxy was not measured: it needs socat, python3 and curl")
        }
        let home = try await FilledHome(sessions: 8)
        let folder = try TemporaryHome()
        try makeFile(folder.path + "/large", size: Self.size)
        try makeFile(folder.path + "/small", size: 10)
        let ports = (Int.random(in: 20_000..<24_000), Int.random(in: 24_000..<28_000))
        let origin = try Program(
            python, ["-c", Self.server, "\(ports.0)", folder.path], environment: home.environment, limit: .seconds(3_600)
        ).start()
        let plain = try Program(
            socat, ["TCP-LISTEN:\(ports.1),bind=127.0.0.1,fork,reuseaddr", "TCP:127.0.0.1:\(ports.0)"], environment: home.environment,
            limit: .seconds(3_600)
        ).start()
        defer { for process in [origin, plain] { process.signal(SIGTERM) } }
        try home.allowTokens(at: "127.0.0.1:\(ports.0)")
        let socket = folder.path + "/proxy.sock"
        try await MeasuredAgent.run(home) { _ in
            let proxy = try Program(
                try Product.program("yett-main"),
                ["proxy", "provider7", "http://127.0.0.1:\(ports.0)", "--listen", "unix:" + socket], environment: home.environment,
                limit: .seconds(3_600)
            ).start()
            defer { proxy.signal(SIGTERM) }
            try await eventually("the proxy does not listen") { access(socket, F_OK) == 0 }
            try await eventually("the server does not answer") {
                (try? await fetch(curl, ["http://127.0.0.1:\(ports.1)/small"], home)) != nil
            }
            let large = try await Measurement.alternating(
                rounds: min(rounds, 7),
                [
                    { try await fetch(curl, ["http://127.0.0.1:\(ports.1)/large"], home) },
                    { try await fetch(curl, ["--unix-socket", socket, "http://api/large"], home) },
                ])
            let share = Int((100 / large[1].ratio(to: large[0])).rounded())
            print(
                "1 GB through socat: \(Measurement.milliseconds(large[0].median)); through yett proxy: "
                    + "\(Measurement.milliseconds(large[1].median)), \(share) % of the throughput, aim 70 %")
            let small = Array(repeating: "small", count: Self.requests)
            let many = try await Measurement.alternating(
                rounds: rounds,
                [
                    { try await fetch(curl, small.map { "http://127.0.0.1:\(ports.0)/\($0)" }, home) },
                    { try await fetch(curl, ["--unix-socket", socket] + small.map { "http://api/\($0)" }, home) },
                ])
            let added = (many[1].median - many[0].median) / Self.requests
            print("added to a request by yett proxy: \(Measurement.milliseconds(added)), aim 1 ms")
        }
    }

    /// Returns the time of a fetch with curl.
    private func fetch(_ curl: String, _ words: [String], _ home: FilledHome) async throws -> Duration {
        let start = clock.now
        let result = try await Program(
            curl, ["-sSf"] + words.flatMap { $0.hasPrefix("http") ? ["-o", "/dev/null", $0] : [$0] }, environment: home.environment,
            limit: .seconds(120)
        ).run()
        guard result.status == 0 else { throw HarnessError("curl: \(result)") }
        return clock.now - start
    }

    private func makeFile(_ path: String, size: Int) throws {
        let file = open(path, O_WRONLY | O_CREAT, 0o600)
        guard file >= 0, ftruncate(file, off_t(size)) == 0 else { throw HarnessError("\(path) cannot be written") }
        close(file)
    }
}
