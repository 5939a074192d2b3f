import AuthModel
import Localization
import OAuth
import TestSupport
import Testing

@testable import AuthEngine

/// Connections that leave HTTP.
@Suite struct UpgradeTests {
    private static let accepted = Array("HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nX-A: b\r\n\r\nfirst".utf8)

    private func request(_ origin: String, _ path: String = "/a?b=c") throws -> WebRequest {
        try get(origin + path, headers: [("Authorization", "Bearer t"), ("Sec-WebSocket-Key", "k")])
    }

    /// Connections end with their transport.
    private let transport = AuthEngineTests.transport()

    private let input = RequestBody()

    private func upgrade(
        _ request: WebRequest, _ input: RequestBody = RequestBody(), policy: TransportPolicy = .standard
    ) async throws -> StreamedResponse {
        try await transport.upgrade(request, to: "websocket", policy: policy, input: input)
    }

    /// Reads so many bytes, or all.
    private func read(_ body: ResponseBody, _ count: Int = .max) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count, let piece = try await body.next() { bytes += piece }
        return bytes
    }

    @Test func bytesPassInBothDirections() async throws {
        let server = try await RawServer { _, _ in .echo(Self.accepted) }
        let response = try await upgrade(request(server.origin), input)
        #expect(response.status == 101)
        #expect(response.header("x-a") == "b")
        #expect(await input.write(Array("hello\0\r\n".utf8)))
        #expect(try await read(response.body, 13) == Array("firsthello\0\r\n".utf8))
        input.finish()
        #expect(try await response.body.next() == nil)
        let sent = try #require(server.requests.first)
        #expect(
            sent.split(separator: "\r\n").map(String.init) == [
                "GET /a?b=c HTTP/1.1", "Host: 127.0.0.1:\(server.port)", "User-Agent: yett/0.0-test", "Connection: Upgrade",
                "Upgrade: websocket", "Authorization: Bearer t", "Sec-WebSocket-Key: k",
            ])
    }

    /// A reader that does not read stops the server and then the writer; nothing is lost.
    @Test func slowEndsPauseTheOther() async throws {
        let server = try await RawServer { _, _ in .echo(Self.accepted) }
        let response = try await upgrade(request(server.origin), input)
        let size = 24 << 20
        let writing = Task {
            var sent = 0
            while sent < size, await input.write([UInt8](repeating: UInt8(truncatingIfNeeded: sent >> 16), count: 65_536)) {
                sent += 65_536
            }
            return sent
        }
        var count = -5
        while count < size, let piece = try await response.body.next() {
            #expect(piece.count <= 1 << 20)
            let place = count + piece.count - 1
            if place >= 0 { #expect(piece.last == UInt8(truncatingIfNeeded: place >> 16)) }
            count += piece.count
        }
        #expect(count == size)
        #expect(await writing.value == size)
    }

    @Test func connectionIsTheTunnelsAlone() async throws {
        let server = try await RawServer { _, text in text.contains("Upgrade") ? .echo(Self.accepted) : .ok("plain") }
        _ = try await transport.send(get(server.origin + "/"))
        let response = try await upgrade(request(server.origin))
        #expect(server.connections == 2)
        let plain = try await transport.send(get(server.origin + "/"))
        #expect(plain.body == Array("plain".utf8))
        #expect(server.connections == 2)
        #expect(try await read(response.body, 5) == Array("first".utf8))
    }

    @Test(arguments: ["Content-Length: 4\r\n\r\nnope", "Transfer-Encoding: chunked\r\n\r\n4\r\nnope\r\n0\r\n\r\n"])
    func refusalIsAnOrdinaryResponse(rest: String) async throws {
        let server = try await RawServer { _, _ in .text("HTTP/1.1 403 No\r\n" + rest) }
        let response = try await upgrade(request(server.origin))
        #expect(response.status == 403)
        #expect(try await read(response.body) == Array("nope".utf8))
    }

    @Test(arguments: [
        (RawServer.Reply.text("HTTP/1.1 101 x\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n"), "sent an invalid response"),
        (.bytesThenClose(Array("HTTP/1.1 403 No\r\nA: b".utf8)), "closed the connection"), (.hangUp, "closed the connection"),
        (.flood(Array("HTTP/1.1 200 OK\r\n".utf8), Array("X-Filler: abcdefgh\r\n".utf8)), "sent too many header lines"),
    ])
    func invalidResponseFails(reply: RawServer.Reply, text: String) async throws {
        let server = try await RawServer { _, _ in reply }
        let failure = await #expect(throws: AuthFailure.self) { _ = try await upgrade(request(server.origin)) }
        #expect(failure?.summary.contains(text) == true, "\(failure?.summary ?? "")")
    }

    @Test(arguments: [RawServer.Reply.silence, .trickle(Array("HTTP/1.1 101 Switching\r\n".utf8))])
    func stallingServerEndsAtTheDeadline(reply: RawServer.Reply) async throws {
        let server = try await RawServer { _, _ in reply }
        let failure = await #expect(throws: AuthFailure.self) {
            _ = try await upgrade(request(server.origin), policy: TransportPolicy(deadline: .milliseconds(150)))
        }
        #expect(failure?.summary == "127.0.0.1:\(server.port) did not answer within 150 ms")
    }

    /// After 101 a connection may be silent for any time.
    @Test func deadlineEndsWithTheHeader() async throws {
        let server = try await RawServer { _, _ in .echo(Self.accepted) }
        // Seconds that pass, because the deadline is the network library's. Less would be too short for an answer on a busy machine.
        let deadline = Duration.seconds(15)
        let response = try await upgrade(request(server.origin), input, policy: TransportPolicy(deadline: deadline))
        let other = try await RawServer { _, _ in .silence }
        await #expect(throws: AuthFailure.self) {
            _ = try await upgrade(request(other.origin), policy: TransportPolicy(deadline: deadline + .milliseconds(100)))
        }
        #expect(await input.write(Array("hello".utf8)))
        #expect(try await read(response.body, 10) == Array("firsthello".utf8))
    }

    @Test func certificateIsVerified() async throws {
        let authority = try TestAuthority()
        let server = try await RawServer { _, _ in .echo(Self.accepted) }
        let front = try authority.front("good", to: server.port)
        let origin = "https://127.0.0.1:\(front.port)"
        let failure = await #expect(throws: AuthFailure.self) { _ = try await upgrade(request(origin)) }
        #expect(failure?.kind == .security)
        #expect(server.requests.isEmpty)
        let response = try await upgrade(request(origin), input, policy: TransportPolicy(caFile: authority.rootFile))
        let large = [UInt8](repeating: 0x61, count: 4 << 20)
        let writing = Task { await input.write(large) }
        #expect(try await read(response.body, large.count + 5).dropFirst(5).elementsEqual(large))
        #expect(await writing.value)
    }

    @Test(arguments: ["Host", "connection", "Upgrade", "Content-Length", "transfer-encoding"])
    func fieldsOfTheConnectionAreRefused(name: String) async throws {
        let server = try await RawServer { _, _ in .silence }
        var request = try request(server.origin)
        request.headers.append((name, "x"))
        let first = request
        await #expect(throws: AuthFailure.self) { _ = try await upgrade(first) }
        request.headers = [("X", "a\r\nEvil: b")]
        let second = request
        await #expect(throws: AuthFailure.self) { _ = try await upgrade(second) }
        #expect(server.connections == 0)
    }

    @Test func droppedBodyEndsTheConnection() async throws {
        let server = try await RawServer { _, _ in .echo(Self.accepted) }
        var response: StreamedResponse? = try await upgrade(request(server.origin), input)
        #expect(response?.status == 101)
        response = nil
        // The writer learns of it.
        while await input.write([0]) { await Task.yield() }
    }
}
