import Glibc
import ProcessHarness
import Synchronization
import Testing

@testable import ResourceProxy

/// Requests and responses that try to mean one thing to the proxy and another one to the server or the client (RFC 9112 section 11).
@Suite struct ProxyAttackTests {
    /// A request that must be refused: the server sees nothing of it.
    ///
    /// `SECRET` stands for the first part of the path, `HOST` for the address, `LONG` for 200,000 letters; `\n` ends a line.
    static let refused: [String] = [
        // Two lengths.
        "POST /SECRET/a HTTP/1.1\nHost: HOST\nContent-Length: 5\nTransfer-Encoding: chunked\n\n0\n\nGET /SECRET/smuggled HTTP/1.1\nHost: HOST\n\n",
        "POST /SECRET/a HTTP/1.1\nHost: HOST\nTransfer-Encoding: chunked\nContent-Length: 5\n\n0\n\n",
        "POST /SECRET/a HTTP/1.1\nHost: HOST\nContent-Length: 5\nContent-Length: 6\n\n123456",
        "POST /SECRET/a HTTP/1.1\nHost: HOST\nContent-Length: 5\nContent-Length: 5\n\n12345",
        "POST /SECRET/a HTTP/1.1\nHost: HOST\nContent-Length: 5, 5\n\n12345",
        "POST /SECRET/a HTTP/1.1\nHost: HOST\nContent-Length: +5\n\n12345",
        "POST /SECRET/a HTTP/1.1\nHost: HOST\nContent-Length: -5\n\n12345",
        "POST /SECRET/a HTTP/1.1\nHost: HOST\nContent-Length: 0x5\n\n12345",
        "POST /SECRET/a HTTP/1.1\nHost: HOST\nContent-Length: 5 5\n\n12345",
        "POST /SECRET/a HTTP/1.1\nHost: HOST\nContent-Length: \n\n",
        "POST /SECRET/a HTTP/1.1\nHost: HOST\nContent-Length: 18446744073709551621\n\n12345",
        // More than an Int has, and less than an unsigned one.
        "POST /SECRET/a HTTP/1.1\nHost: HOST\nContent-Length: 9223372036854775808\n\n12345",
        "POST /SECRET/a HTTP/1.1\nHost: HOST\nContent-Length: 18446744073709551615\n\n12345",
        // Codings.
        "POST /SECRET/a HTTP/1.1\nHost: HOST\nTransfer-Encoding: xchunked\n\n0\n\n",
        "POST /SECRET/a HTTP/1.1\nHost: HOST\nTransfer-Encoding: chunked, identity\n\n0\n\n",
        "POST /SECRET/a HTTP/1.1\nHost: HOST\nTransfer-Encoding: gzip, chunked\n\n0\n\n",
        "POST /SECRET/a HTTP/1.1\nHost: HOST\nTransfer-Encoding: chunked\nTransfer-Encoding: chunked\n\n0\n\n",
        "POST /SECRET/a HTTP/1.1\nHost: HOST\nTransfer-Encoding: \u{B}chunked\n\n0\n\n",
        "POST /SECRET/a HTTP/1.1\nHost: HOST\nTransfer-Encoding : chunked\n\n0\n\n",
        "POST /SECRET/a HTTP/1.1\nHost: HOST\nTransfer-Encoding:\n chunked\n\n0\n\n",
        "POST /SECRET/a HTTP/1.0\nHost: HOST\nTransfer-Encoding: chunked\n\n0\n\n",
        // Lines.
        "GET /SECRET/a HTTP/1.1\nHost: HOST\nX: a\n b\n\n",
        "GET /SECRET/a HTTP/1.1\nHost: HOST\n X: a\n\n",
        "GET /SECRET/a HTTP/1.1\nHost: HOST\nX y: a\n\n",
        "GET /SECRET/a HTTP/1.1\nHost: HOST\n: a\n\n",
        "GET /SECRET/a HTTP/1.1\nHost: HOST\nno colon\n\n",
        "GET /SECRET/a HTTP/1.1\nHost: HOST\nX: a\0b\n\n",
        "GET /SECRET/a HTTP/1.1\nHost: HOST\nX: a\u{1}b\n\n",
        "GET /SECRET/a HTTP/1.1\nHost: HOST\nX: a\rAuthorization: Bearer own\n\n",
        "GET /SECRET/a HTTP/1.1\r\rHost: HOST\n\n",
        // Targets.
        "GET http://evil.example/SECRET/a HTTP/1.1\nHost: HOST\n\n",
        "GET //evil.example/a HTTP/1.1\nHost: HOST\n\n",
        "GET /SECRET/../a HTTP/1.1\nHost: HOST\n\n",
        "GET /SECRET/%2e%2e/a HTTP/1.1\nHost: HOST\n\n",
        "GET /SECRET/a\\b HTTP/1.1\nHost: HOST\n\n",
        "GET /SECRET/a%00 HTTP/1.1\nHost: HOST\n\n",
        "GET /SECRET/a%0d%0aX:b HTTP/1.1\nHost: HOST\n\n",
        "GET /SECRET/a#b HTTP/1.1\nHost: HOST\n\n",
        "GET /SECRET/a b HTTP/1.1\nHost: HOST\n\n",
        "GET /SECRET/\u{E9} HTTP/1.1\nHost: HOST\n\n",
        "GET SECRET/a HTTP/1.1\nHost: HOST\n\n",
        "OPTIONS * HTTP/1.1\nHost: HOST\n\n",
        "CONNECT 127.0.0.1:1 HTTP/1.1\nHost: HOST\n\n",
        "TRACE /SECRET/a HTTP/1.1\nHost: HOST\n\n",
        "BREW /SECRET/a HTTP/1.1\nHost: HOST\n\n",
        "HEAD /SECRET/a HTTP/1.1\nHost: HOST\nContent-Length: 1\n\na",
        // Hosts.
        "GET /SECRET/a HTTP/1.1\n\n",
        "GET /SECRET/a HTTP/1.1\nHost: HOST\nHost: HOST\n\n",
        "GET /SECRET/a HTTP/1.1\nHost: HOST, evil.example\n\n",
        "GET /SECRET/a HTTP/1.1\nHost: HOST@evil.example\n\n",
        // Other protocols.
        "GET /SECRET/a\n\n",
        "GET /SECRET/a HTTP/2.0\nHost: HOST\n\n",
        "PRI * HTTP/2.0\n\nSM\n\n",
        "\u{16}\u{3}\u{1}",
        // Size.
        "GET /SECRET/a HTTP/1.1\nHost: HOST\nX: LONG\n\n",
        "GET /SECRET/LONG HTTP/1.1\nHost: HOST\n\n",
    ]

    @Test(arguments: refused) func requestIsRefused(text: String) async throws {
        let sent = Record()
        try await ProxyFixture.run(Self.record(sent)) { proxy in
            let answer = try await proxy.exchange(Self.request(text, proxy))
            #expect(answer == "" || answer.hasPrefix("HTTP/1.1 4") || answer.hasPrefix("HTTP/1.1 501 "), "\(answer)")
            #expect(answer.ranges(of: "HTTP/1.1 ").count <= 1, "\(answer)")
            #expect(!answer.hasSuffix("\r\n\r\nok"))
        }
        #expect(sent.text == "")
    }

    /// A chunked body that is not valid: the server sees no complete request.
    @Test(arguments: [
        "fffffffffffffffff\n12345", "-1\n1", "0x5\n12345\n0\n\n", "5 \n12345\n0\n\n", "5\n123456\n0\n\n", "g\n", "5\r12345\n0\n\n",
        "5;a\rb\n12345\n0\n\n", "\n0\n\n", "5\n12345\n0\nno colon\n\n",
    ])
    func invalidChunksAreNeverAWholeBody(chunks: String) async throws {
        let sent = Record()
        try await ProxyFixture.run(Self.record(sent)) { proxy in
            let head = "POST /SECRET/a HTTP/1.1\nHost: HOST\nTransfer-Encoding: chunked\n\n"
            let answer = try await proxy.exchange(Self.request(head + chunks, proxy))
            #expect(answer.ranges(of: "HTTP/1.1 ").count <= 1, "\(answer)")
        }
        // The last chunk is what completes it.
        #expect(!sent.text.contains("\r\n0\r\n\r\n"))
    }

    /// Requests that are odd, but mean only one thing.
    @Test(arguments: [
        ("GET /SECRET/a HTTP/1.1\nHost: HOST\nAuthorization: Bearer own\nAUTHORIZATION: Bearer own\nConnection: close\n\n", 1),
        ("GET /SECRET/a HTTP/1.1\nHost: HOST\nConnection: close, authorization, host, x-hop\nX-Hop: own\n\n", 1),
        ("GET /SECRET/a HTTP/1.1\nHost: HOST\nProxy-Authorization: own\nTE: own\nKeep-Alive: own\nConnection: close\n\n", 1),
        ("GET /SECRET/a HTTP/1.0\nHost: HOST\n\nGET /SECRET/own HTTP/1.1\nHost: HOST\n\n", 1),
        ("GET /SECRET/a HTTP/1.1\nHost: HOST\nConnection: close\n\nGET /SECRET/own HTTP/1.1\nHost: HOST\n\n", 1),
        (
            "GET /SECRET/a HTTP/1.1\nHost: HOST\n\nPOST /SECRET/b HTTP/1.1\nHost: HOST\nContent-Length: 3\n\nabcGET /SECRET/c HTTP/1.1\nHost: HOST\nConnection: close\n\n",
            3
        ),
        (
            "POST /SECRET/a HTTP/1.1\nHost: HOST\nTransfer-Encoding: chunked\nConnection: close\n\n5;x=y\n12345\n0\nAuthorization: Bearer own\n\n",
            1
        ),
        ("GET /SECRET/a HTTP/1.1\nHost: HOST\nContent-Length: 3\nConnection: close\n\nabc", 1),
        ("POST /SECRET/a HTTP/1.1\nHost: HOST\nExpect: 100-continue\nContent-Length: 3\nConnection: close\n\nabc", 1),
    ])
    func oddRequestMeansOneThing(text: String, count: Int) async throws {
        let sent = Record()
        try await ProxyFixture.run(Self.record(sent)) { proxy in
            let answer = try await proxy.exchange(Self.request(text, proxy))
            #expect(answer.ranges(of: "HTTP/1.1 200 ").count == count, "\(answer)")
        }
        let text = sent.text
        #expect(text.ranges(of: " HTTP/1.1\r\n").count == count)
        #expect(text.ranges(of: "\r\nAuthorization: Bearer token0\r\n").count == count)
        #expect(text.ranges(of: "\r\nHost: ").count == count)
        #expect(!text.contains("own"), "\(text)")
    }

    /// A response that is not valid, or ends early: the client must not take it for a complete one.
    @Test(arguments: [
        "HTTP/1.1 200 OK\nContent-Length: 5\nContent-Length: 6\n\n123456",
        "HTTP/1.1 200 OK\nContent-Length: -5\n\n12345",
        "HTTP/1.1 200 OK\nContent-Length: x\n\n12345",
        "HTTP/1.1 200 OK\nContent-Length: 5, 5\n\n12345",
        "HTTP/1.1 200 OK\nContent-Length: 10\n\n12345",
        "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n5\n12345\n",
        "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\ng\n12345\n0\n\n",
        "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n5\n1234567\n0\n\n",
        "HTTP/1.1 200 OK\nTransfer-Encoding: xchunked\n\n12345",
        "HTTP/1.1 101 Switching Protocols\nUpgrade: x\nConnection: Upgrade\n\n12345",
        "HTTP/1.1 99 Low\nContent-Length: 0\n\n", "HTTP/1.1 1000 High\nContent-Length: 0\n\n",
        "no header at all", "HTTP/1.1 200 OK\nX: a\0b\nContent-Length: 0\n\n", "",
        "HTTP/1.1 200 OK\nX: LONG\nContent-Length: 0\n\n",
        "HTTP/1.1 200 OK\nMANYContent-Length: 0\n\n",
        "INTERIMHTTP/1.1 200 OK\nContent-Length: 0\n\n",
    ])
    func brokenResponseIsNeverComplete(answer: String) async throws {
        try await ProxyFixture.run({ descriptor, _ in RawClient.sendAll(descriptor, Array(answer.lines.utf8)) }) { proxy in
            let text = try await proxy.exchange(proxy.request("/a") + proxy.request("/b"))
            #expect(!text.isComplete, "\(text.prefix(500))")
        }
    }

    /// A client could not read such a field, or would read another one.
    @Test(arguments: ["X Y: z", "X\u{1}: y", "X: a\u{7F}b", "X: a\u{1B}[2J", "(x): y", "X\u{E9}: y", "Connection\u{E9}: X"])
    func invalidFieldOfTheServerIsReported(field: String) async throws {
        let answer = "HTTP/1.1 200 OK\n\(field)\nContent-Length: 2\n\nok".lines
        try await ProxyFixture.run({ descriptor, _ in RawClient.sendAll(descriptor, Array(answer.utf8)) }) { proxy in
            let text = try await proxy.exchange(proxy.request("/a"))
            #expect(text.hasPrefix("HTTP/1.1 502 "), "\(text)")
            #expect(text.contains("sent an invalid response"), "\(text)")
        }
    }

    /// What a response says about its own connection, and cookies, stays between proxy and server.
    @Test(arguments: [
        ("HTTP/1.1 200 OK\nContent-Length: 2\nConnection: close, x-hop\nX-Hop: own\nKeep-Alive: own\nSet-Cookie: own\n\nok", "ok"),
        ("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n2;x=own\nok\n0\nX-Trailer: own\n\n", "2\nok\n0\n\n"),
        ("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\nContent-Length: 9\n\n2\nok\n0\n\n", "2\nok\n0\n\n"),
        ("HTTP/1.1 200 OK\nContent-Length: 2\nContent-Length: 2\n\nok", "\nContent-Length: 2\n\nok"),
        ("HTTP/1.0 200 OK\n\nok", "2\nok\n0\n\n"), ("HTTP/1.1 204 No\n\n", ""), ("HTTP/1.1 304 No\nContent-Length: 5\n\n", ""),
        ("HTTP/1.1 103 Early\nX: own\n\nHTTP/1.1 200 OK\nContent-Length: 2\n\nok", "ok"),
        ("HTTP/1.1 200 OK\nContent-Length: 2\n\nokHTTP/1.1 200 OK\nX: own\nContent-Length: 0\n\n", "ok"),
    ])
    func responseIsOfThisConnection(answer: String, body: String) async throws {
        try await ProxyFixture.run({ descriptor, _ in RawClient.sendAll(descriptor, Array(answer.lines.utf8)) }) { proxy in
            let text = try await proxy.exchange(proxy.request("/a", also: "Connection: close\r\n"))
            #expect(text.ranges(of: "HTTP/1.1 ").count == 1, "\(text)")
            #expect(text.hasSuffix((body.hasPrefix("\n") ? "OK" : "\n\n").lines + body.lines), "\(text)")
            #expect(!text.contains("own"), "\(text)")
        }
    }

    @Test(arguments: ["Content-Length: 5", "Transfer-Encoding: chunked", "X: y"]) func answerToHeadHasNoBody(field: String) async throws {
        let answer = "HTTP/1.1 200 OK\n\(field)\n\n".lines
        try await ProxyFixture.run({ descriptor, _ in RawClient.sendAll(descriptor, Array(answer.utf8)) }) { proxy in
            let text = try await proxy.exchange(proxy.request("/a", method: "HEAD", also: "Connection: close\r\n"))
            #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n") && text.ranges(of: "\r\n\r\n").count == 1, "\(text)")
            #expect(text.hasSuffix("\r\n\r\n") && !text.contains("\r\n0\r\n"), "\(text)")
        }
    }

    /// HTTP/1.0 has no chunks.
    @Test func oldClientGetsABodyUpToTheEnd() async throws {
        let answer = "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n2\nok\n0\n\n".lines
        try await ProxyFixture.run({ descriptor, _ in RawClient.sendAll(descriptor, Array(answer.utf8)) }) { proxy in
            let text = try await proxy.exchange(Self.request("GET /SECRET/a HTTP/1.0\nHost: HOST\nConnection: keep-alive\n\n", proxy))
            #expect(text.hasSuffix("\r\n\r\nok") && !text.lowercased().contains("transfer-encoding"), "\(text)")
        }
    }

    // MARK: Tools

    private static func request(_ text: String, _ proxy: ProxyFixture) -> String {
        text.replacing("SECRET", with: proxy.secret).replacing("HOST", with: "127.0.0.1:\(proxy.port)").lines
    }

    /// A server that answers `ok`, and records everything that it gets.
    private static func record(_ sent: Record) -> @Sendable (CInt, String) -> Void {
        { descriptor, head in
            var head = head
            while !head.isEmpty {
                sent.add(head)
                let length = head.split(separator: "\r\n").first { $0.hasPrefix("Content-Length: ") }?.dropFirst(16)
                sent.add(String(decoding: BlockingServer.read(descriptor, count: length.flatMap { Int($0) } ?? 0), as: UTF8.self))
                if head.contains("\r\nTransfer-Encoding: chunked\r\n") { sent.addChunks(descriptor) }
                RawClient.sendAll(descriptor, Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8))
                head = BlockingServer.head(descriptor)
            }
        }
    }

    /// What a server got.
    private final class Record: Sendable {
        private let bytes = Mutex("")

        var text: String { bytes.withLock { $0 } }

        func add(_ more: String) { bytes.withLock { $0 += more } }

        /// Reads a chunked body to its end, or to the end of the connection.
        func addChunks(_ descriptor: CInt) {
            var read = ""
            while !read.hasSuffix("0\r\n\r\n") {
                let next = BlockingServer.read(descriptor, count: 1)
                guard !next.isEmpty else { break }
                read += String(decoding: next, as: UTF8.self)
            }
            add(read)
        }
    }
}

extension String {
    /// The text with the ends of lines as in HTTP, and with what is too long to write.
    fileprivate var lines: String {
        replacing("LONG", with: String(repeating: "x", count: 200_000)).replacing("MANY", with: String(repeating: "X: y\n", count: 2_000))
            .replacing("INTERIM", with: String(repeating: "HTTP/1.1 103 Early\nX: y\n\n", count: 5_000)).replacing("\n", with: "\r\n")
    }

    /// Whether the text is a complete response of the server's.
    fileprivate var isComplete: Bool {
        guard hasPrefix("HTTP/1.1 2"), let end = firstRange(of: "\r\n\r\n") else { return false }
        let head = self[..<end.lowerBound].lowercased()
        let body = self[end.upperBound...]
        if head.contains("transfer-encoding: chunked") { return body.contains("0\r\n\r\n") }
        let length = head.split(separator: "\r\n").first { $0.hasPrefix("content-length: ") }?.dropFirst(16)
        return length.flatMap { Int($0) }.map { body.utf8.count >= $0 } ?? true
    }
}
