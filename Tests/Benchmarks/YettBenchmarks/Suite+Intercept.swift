import Glibc
import ProcessHarness

/// Measurements of `yett exec --intercept` beside mitmproxy, which also opens TLS and sets a header.
extension Suite {
    /// The size of the large body, in bytes.
    private static let size = 256 << 20
    /// The number of small requests of one command, on one connection each.
    private static let requests = 50

    /// A server of files by TLS that keeps connections, as an API does.
    private static let server = """
        import http.server, os, ssl, sys
        class Handler(http.server.SimpleHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # An answer in one piece: the client's delayed acknowledgement would cost 40 ms between two.
            wbufsize = -1
            def log_message(self, *words): pass
        os.chdir(sys.argv[2])
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain("root.pem", "root.key")
        server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        server.serve_forever()
        """

    /// A proxy, and the certificates that its clients trust.
    private struct Way {
        let name: String
        var options: [String] = []
        let bundle: String
    }

    /// Measures the throughput of a large body and the time of small requests.
    func intercept() async throws {
        guard let python = Product.installed("python3"), let curl = Product.installed("curl"), let openssl = Product.installed("openssl")
        else { return print("yett exec --intercept was not measured: it needs python3, curl and openssl") }
        let home = try await FilledHome(sessions: 8)
        let folder = try TemporaryHome()
        let port = Int.random(in: 20_000..<24_000)
        func started(_ path: String, _ words: [String]) throws -> RunningProgram {
            try Program(path, words, environment: home.environment, folder: folder.path, limit: .seconds(3_600)).start()
        }
        let certificate = try await started(
            openssl,
            ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "root.key", "-out", "root.pem", "-subj", "/CN=127.0.0.1"]
                + ["-addext", "subjectAltName=IP:127.0.0.1", "-days", "2"]
        ).finish()
        guard certificate.status == 0, truncate(folder.path + "/large", Self.size), truncate(folder.path + "/small", 10) else {
            throw HarnessError("nothing to serve: \(certificate)")
        }
        let root = folder.path + "/root.pem"
        let origin = try started(python, ["-c", Self.server, "\(port)", folder.path])
        defer { origin.signal(SIGKILL) }
        try home.allowTokens(at: "127.0.0.1:\(port)", trusting: root)
        try await MeasuredAgent.run(home) { _ in
            let script = "echo $HTTPS_PROXY $CURL_CA_BUNDLE; exec sleep 3600"
            let yett = try started(
                try Product.program("yett-main"), ["exec", "provider7", "--intercept", "--", "sh", "-c", script])
            defer { yett.signal(SIGTERM) }
            let words = try await yett.until { $0.output.hasSuffix("\n") }.output.split { " \n".contains($0) }.map(String.init)
            var ways = [Way(name: "", bundle: root), Way(name: "yett", options: ["-x", words[0]], bundle: words[1])]
            let other = try RealProvider.tool("mitmdump", of: "mitmproxy").map { program in
                let settings = ["confdir=\(folder.path)", "ssl_verify_upstream_trusted_ca=\(root)", "stream_large_bodies=1m"]
                let header = ["--modify-headers", "/~q/Authorization/Bearer token"]
                let place = ["--listen-host", "127.0.0.1", "--listen-port", "\(port + 4_000)", "--quiet"]
                return try started(program, place + header + settings.flatMap { ["--set", $0] })
            }
            defer { other?.signal(SIGKILL) }
            if other == nil {
                print("mitmproxy was not measured, because it is not installed")
            } else {
                let certificate = folder.path + "/mitmproxy-ca-cert.pem"
                ways.append(Way(name: "mitmproxy", options: ["-x", "http://127.0.0.1:\(port + 4_000)"], bundle: certificate))
            }
            for way in ways {
                try await eventually("no answer by \(way.name)") { (try? await time(curl, way, ["small"], port, home)) != nil }
            }
            let large = try await Measurement.alternating(
                rounds: min(rounds, 7), ways.map { way in { try await time(curl, way, ["large"], port, home) } })
            let small = try await Measurement.alternating(
                rounds: rounds,
                ways.map { way in { try await time(curl, way, [String](repeating: "small", count: Self.requests), port, home) } })
            for (index, way) in ways.enumerated().dropFirst() {
                let share = Int((100 / large[index].ratio(to: large[0])).rounded())
                let added = (small[index].median - small[0].median) / Self.requests
                print(
                    "\(way.name): \(share) % of the throughput without a proxy (\(Measurement.milliseconds(large[0].median)) for 256 MiB), "
                        + "\(Measurement.milliseconds(added)) added to a request")
            }
            guard ways.count > 2 else { return }
            print(
                "yett to mitmproxy: time of a large body \(Row.rounded(large[1].ratio(to: large[2]))), "
                    + "of small requests \(Row.rounded(small[1].ratio(to: small[2])))")
        }
    }

    private func truncate(_ path: String, _ size: Int) -> Bool {
        let file = open(path, O_WRONLY | O_CREAT, 0o600)
        defer { close(file) }
        return file >= 0 && ftruncate(file, off_t(size)) == 0
    }

    /// Returns the time of a fetch with curl.
    private func time(_ curl: String, _ way: Way, _ files: [String], _ port: Int, _ home: FilledHome) async throws -> Duration {
        let words = files.flatMap { ["-o", "/dev/null", "https://127.0.0.1:\(port)/\($0)"] }
        let start = clock.now
        let result = try await Program(
            curl, ["-sSf", "--cacert", way.bundle] + way.options + words, environment: home.environment, limit: .seconds(120)
        ).run()
        guard result.status == 0 else { throw HarnessError("curl by \(way.name): \(result)") }
        return clock.now - start
    }
}
