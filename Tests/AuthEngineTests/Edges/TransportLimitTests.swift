import AuthEngine
import AuthModel
import Glibc
import Localization
import OAuth
import TestSupport
import Testing

@Suite struct TransportLimitTests {
    /// Returns 40 MB of spaces, compressed to about 40 kB.
    private static func bomb() throws -> [UInt8] {
        let folder = try TestFolder()
        try folder.shell("head -c 40000000 /dev/zero | tr '\\0' ' ' | gzip -9 > bomb && od -An -v -tu1 bomb > numbers")
        return try #require(folder.read("numbers")).split { $0 == " " || $0 == "\n" }.compactMap { UInt8($0) }
    }

    @Test func decompressesABody() async throws {
        let folder = try TestFolder()
        try folder.shell("printf 'hello' | gzip > small && od -An -v -tu1 small > numbers")
        let small = try #require(folder.read("numbers")).split { $0 == " " || $0 == "\n" }.compactMap { UInt8($0) }
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(small.count)\r\n\r\n"
        let server = try await RawServer { _, _ in .bytes(Array(head.utf8) + small) }
        let response = try await transport().send(get(server.origin + "/"))
        #expect(String(decoding: response.body, as: UTF8.self) == "hello")
    }

    @Test func limitsADecompressedBody() async throws {
        let bomb = try Self.bomb()
        try #require(bomb.count < 100_000)
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(bomb.count)\r\n\r\n"
        let server = try await RawServer { _, _ in .bytes(Array(head.utf8) + bomb) }
        let failure = try await failure(of: get(server.origin + "/"))
        #expect(failure.isTransient)
        #expect(failure.summary == "the response from 127.0.0.1:\(server.port) is larger than 1 MB")
    }

    /// A streamed body has no limit on its size, but on how much larger inflating makes it.
    @Test(arguments: [false, true]) func limitsTheRatioOfAStream(isChunked: Bool) async throws {
        let bomb = try Self.bomb()
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n"
        let body = isChunked ? Array("\(String(bomb.count, radix: 16))\r\n".utf8) + bomb + Array("\r\n0\r\n\r\n".utf8) : bomb
        let length = isChunked ? "Transfer-Encoding: chunked\r\n\r\n" : "Content-Length: \(bomb.count)\r\n\r\n"
        let server = try await RawServer { _, _ in .bytes(Array((head + length).utf8) + body) }
        let transport = transport()
        let response = try await transport.open(get(server.origin + "/"), policy: TransportPolicy())
        // Its end would end the transfer.
        defer { withExtendedLifetime(transport) {} }
        var size = 0
        let failure = await #expect(throws: AuthFailure.self) {
            while let piece = try await response.body.next() { size += piece.count }
        }
        #expect(failure?.message.code == "http.grows_too_much")
        #expect(size < 25_000_000)
    }

    /// Text that compresses well is no attack, also in many chunks.
    @Test func acceptsAStreamThatCompressesWell() async throws {
        let folder = try TestFolder()
        try folder.shell("for i in 1 2 3 4 5 6 7 8; do seq 1 300000; done | gzip -9 > body && od -An -v -tu1 body > numbers")
        let bytes = try #require(folder.read("numbers")).split { $0 == " " || $0 == "\n" }.compactMap { UInt8($0) }
        let body = stride(from: 0, to: bytes.count, by: 3000).flatMap { start in
            let chunk = bytes[start..<min(start + 3000, bytes.count)]
            return Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Array("\r\n".utf8)
        }
        let head = Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
        let server = try await RawServer { _, _ in .bytes(head + body + Array("0\r\n\r\n".utf8)) }
        let transport = transport()
        let response = try await transport.open(get(server.origin + "/"), policy: TransportPolicy())
        // Its end would end the transfer.
        defer { withExtendedLifetime(transport) {} }
        var size = 0
        while let piece = try await response.body.next() { size += piece.count }
        #expect(size == 8 * 1_988_895)
    }

    @Test(arguments: ["Content-Length: 40000000\r\n", "Connection: close\r\n", "Content-Encoding: identity\r\n"])
    func limitsAnEndlessBody(_ header: String) async throws {
        let head = Array("HTTP/1.1 200 OK\r\n\(header)\r\n".utf8)
        let server = try await RawServer { _, _ in .flood(head, [UInt8](repeating: 0x20, count: 65_536)) }
        let failure = try await failure(of: get(server.origin + "/"))
        #expect(failure.summary == "the response from 127.0.0.1:\(server.port) is larger than 1 MB")
    }

    @Test func acceptsABodyOfExactlyTheLimit() async throws {
        let server = try await RawServer { _, request in
            .ok(String(repeating: "x", count: request.contains("/over") ? 101 : 100))
        }
        let policy = TransportPolicy(bodyLimit: 100)
        let response = try await transport().send(get(server.origin + "/"), policy: policy)
        #expect(response.body.count == 100)
        let failure = try await failure(of: get(server.origin + "/over"), policy: policy)
        #expect(failure.summary == "the response from 127.0.0.1:\(server.port) is larger than 100 bytes")
    }

    @Test(arguments: ["X: y\r\n", "X: \(String(repeating: "y", count: 8000))\r\n", "HTTP/1.1 100 Continue\r\n\r\n"])
    func limitsEndlessHeaders(_ line: String) async throws {
        let start = line.hasPrefix("HTTP") ? "" : "HTTP/1.1 200 OK\r\n"
        let server = try await RawServer { _, _ in .flood(Array(start.utf8), Array(line.utf8)) }
        let failure = try await failure(of: get(server.origin + "/"))
        #expect(failure.isTransient)
        #expect(failure.summary == "127.0.0.1:\(server.port) sent too many header lines")
    }

    @Test(arguments: [
        RawServer.Reply.silence, .trickle(Array("HTTP/1.1 200 OK\r\n".utf8)), .text("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"),
    ])
    func endsAtTheDeadline(_ reply: RawServer.Reply) async throws {
        let server = try await RawServer { _, _ in reply }
        let failure = try await failure(of: get(server.origin + "/"), policy: TransportPolicy(deadline: .milliseconds(150)))
        #expect(failure.isTransient)
        #expect(failure.summary == "127.0.0.1:\(server.port) did not answer within 150 ms")
    }

    @Test func endsWhenTheTaskIsCancelled() async throws {
        let server = try await RawServer { _, _ in .silence }
        let transport = transport()
        let request = try get(server.origin + "/")
        let task = Task { try await failure(of: request, with: transport) }
        for await _ in server.arrivals { break }
        task.cancel()
        #expect(try await task.value.kind == .cancelled)
    }

    @Test func endsWhenTheTaskIsAlreadyCancelled() async throws {
        let server = try await RawServer { _, _ in .silence }
        let request = try get(server.origin + "/")
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await failure(of: request)
        }
        task.cancel()
        #expect(try await task.value.kind == .cancelled)
    }

    @Test func reportsARefusedConnection() async throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        let port = try #require(LocalPort.bind(descriptor))
        let failure = try await failure(of: get("http://127.0.0.1:\(port)/"))
        #expect(failure.isTransient)
        #expect(failure.summary == "cannot connect to 127.0.0.1:\(port): connection refused")
        #expect(failure.retryPolicy == .freely)
    }

    @Test(arguments: [RawServer.Reply.hangUp, .bytesThenClose(Array("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf".utf8))])
    func reportsATruncatedResponse(_ reply: RawServer.Reply) async throws {
        let server = try await RawServer { _, _ in reply }
        let failure = try await failure(of: WebRequest(method: .post, url: try url(server.origin + "/")))
        #expect(failure.summary == "127.0.0.1:\(server.port) closed the connection before the response was complete")
        if case .hangUp = reply { #expect(failure.retryPolicy == .once) } else { #expect(failure.retryPolicy == .later) }
    }

    @Test(arguments: [
        "nonsense\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nwrong",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
    ])
    func refusesInvalidHTTPResponses(_ text: String) async throws {
        let server = try await RawServer { _, _ in .bytesThenClose(Array(text.utf8)) }
        let failure = try await failure(of: get(server.origin + "/"))
        #expect(failure.isTransient)
        #expect(failure.summary.contains("127.0.0.1:\(server.port)"))
    }

    /// What libcurl passes on, but no recipient can be sure of: read as a whole and in pieces.
    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok.", "sent a response with two different lengths"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: +2\r\n\r\nok", "sent "),
        ("HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n", "switched to another protocol, which was not requested"),
        ("HTTP/1.1 103 Early\r\n\r\n", "closed the connection before the response was complete"),
        ("HTTP/1.1 200 OK\r\nX: \(String(repeating: "x", count: 200_000))\r\n\r\n", "sent too many header lines"),
    ])
    func refusesAmbiguousResponses(_ text: String, _ summary: String) async throws {
        let server = try await RawServer { _, _ in .bytesThenClose(Array(text.utf8)) }
        let request = try get(server.origin + "/")
        #expect(try await failure(of: request).summary.hasPrefix("127.0.0.1:\(server.port) \(summary)"))
        await #expect { _ = try await transport().open(request, policy: TransportPolicy()) } throws: { error in
            (error as? AuthFailure)?.summary.hasPrefix("127.0.0.1:\(server.port) \(summary)") ?? false
        }
    }

    @Test func acceptsTheSameLengthTwice() async throws {
        let server = try await RawServer { _, _ in .text("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok") }
        let response = try await transport().send(get(server.origin + "/"))
        #expect(String(decoding: response.body, as: UTF8.self) == "ok")
        #expect(response.headers.count == 1)
    }
}
