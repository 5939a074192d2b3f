import AuthModel
import OAuth
import Testing

@testable import AuthEngine

/// Responses and requests in pieces.
@Suite struct StreamingTests {
    private let transport = AuthEngineTests.transport()

    private func text(_ body: ResponseBody) async throws -> String {
        var bytes: [UInt8] = []
        while let piece = try await body.next() { bytes += piece }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func headerComesBeforeTheEndOfTheBody() async throws {
        let server = try await RawServer { _, _ in .text("HTTP/1.1 200 OK\r\nX-A: b\r\nContent-Length: 10\r\n\r\nhello") }
        let response = try await transport.open(get(server.origin + "/"), policy: .standard)
        #expect(response.status == 200)
        #expect(response.header("x-a") == "b")
        #expect(try await response.body.next() == Array("hello".utf8))
        response.body.close()
        await #expect(throws: AuthFailure.self) { try await response.body.next() }
    }

    /// A reader that does not read stops the server; memory stays bounded.
    @Test func slowReaderPausesTheConnection() async throws {
        let piece = [UInt8](repeating: 0x61, count: 65_536)
        let server = try await RawServer { _, _ in .flood(Array("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n".utf8), piece) }
        let response = try await transport.open(get(server.origin + "/"), policy: .standard)
        var count = 0
        while count < 20 << 20, let piece = try await response.body.next() {
            #expect(piece.count <= 2 << 20)
            count += piece.count
        }
        #expect(count >= 20 << 20)
    }

    @Test func endOfTheConnectionIsAnError() async throws {
        let server = try await RawServer { _, _ in .bytesThenClose(Array("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello".utf8)) }
        let response = try await transport.open(get(server.origin + "/"), policy: .standard)
        await #expect(throws: AuthFailure.self) { try await text(response.body) }
    }

    @Test(arguments: [nil, 11]) func requestIsWrittenWhileItIsSent(size: Int?) async throws {
        let server = try await RawServer { _, request in
            request.hasSuffix("world") || request.hasSuffix("0\r\n\r\n") ? .ok("done") : .silence
        }
        let body = RequestBody(size: size)
        let request = WebRequest(method: try #require(.init(rawValue: "PATCH")), url: try url(server.origin + "/"))
        let sending = Task { try await transport.open(request, policy: .standard, upload: body, isRaw: true) }
        #expect(await body.write(Array("hello ".utf8)))
        #expect(await body.write(Array("world".utf8)))
        body.finish()
        #expect(try await text(sending.value.body) == "done")
        let sent = server.requests.joined()
        #expect(sent.hasPrefix("PATCH / HTTP/1.1\r\n"))
        #expect(sent.contains(size == nil ? "Transfer-Encoding: chunked\r\n" : "Content-Length: 11\r\n"))
    }

    /// A writer that gives up must not make the request look complete.
    @Test func abortedRequestFails() async throws {
        let server = try await RawServer { _, _ in .silence }
        let body = RequestBody(size: 100)
        let request = WebRequest(method: .put, url: try url(server.origin + "/"))
        let sending = Task { try await transport.open(request, policy: .standard, upload: body, isRaw: true) }
        _ = await body.write(Array("half".utf8))
        body.abort()
        await #expect(throws: AuthFailure.self) { _ = try await sending.value }
        #expect(await !body.write([1]))
    }

    /// A server may quote the token in what is shown to the user, or passed on to a client that must not see it.
    @Test func refusalHidesTheTokenOfItsRequest() async throws {
        let token = "2YotnFZFEjr1zCsicMWpAA"
        let field = "WWW-Authenticate: Bearer error=\"invalid_token\", error_description=\"\(token) has ended\""
        let server = try await RawServer { _, _ in .text("HTTP/1.1 401 Unauthorized\r\n\(field)\r\nContent-Length: 0\r\n\r\n") }
        let request = try get(server.origin + "/", headers: [("Authorization", "Bearer \(token)")])
        let response = try await transport.open(request, policy: .standard)
        for answer in [response.head, try await response.collected(limit: 100)] {
            #expect(answer.tokenChallenges.first?.error?.line == "invalid_token: [hidden] has ended")
        }
    }

    @Test func droppedBodyEndsTheTransfer() async throws {
        let server = try await RawServer { _, _ in .trickle(Array("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n".utf8)) }
        let transport = AuthEngineTests.transport()
        var response: StreamedResponse? = try await transport.open(get(server.origin + "/"), policy: .standard)
        weak let body = response?.body
        response = nil
        // The transfer may hold the body for the moment in which it passes a piece on.
        while body != nil { await Task.yield() }
    }
}
