import Glibc
import NIOCore
import ProcessHarness
import Testing

@testable import ResourceProxy

/// How connections through the proxy end, and how many there may be.
@Suite struct ProxyConnectionTests {
    private static let streaming = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n"

    private static func send(_ descriptor: CInt, _ text: String) { RawClient.sendAll(descriptor, Array(text.utf8)) }

    /// A server with an endless stream at `/stream`, no answer at `/silent`, a WebSocket at `/socket`, and an answer elsewhere. It tells when
    /// a client ends.
    private static func server(_ ends: AsyncStream<String>.Continuation) -> @Sendable (CInt, String) -> Void {
        { descriptor, head in
            let path = String(head.split(separator: " ").dropFirst().first ?? "")
            switch path {
            case "/stream": send(descriptor, streaming)
            case "/silent": break
            case "/broken": return
            case "/socket":
                send(
                    descriptor,
                    "HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
                )
            default: return send(descriptor, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
            }
            _ = BlockingServer.read(descriptor, count: .max)
            ends.yield(path)
        }
    }

    /// Runs `body` with a proxy in front of the server, and streams of the requests that reach it, and of those that end.
    private static func run(
        _ body: @escaping @Sendable (ProxyFixture, AsyncStream<Void>, AsyncStream<String>) async throws -> Void
    ) async throws {
        let (ends, end) = AsyncStream.makeStream(of: String.self)
        let (begins, begin) = AsyncStream.makeStream(of: Void.self)
        let serve = server(end)
        try await ProxyFixture.run({
            begin.yield()
            serve($0, $1)
        }) { try await body($0, begins, ends) }
    }

    /// What is open when the session ends no longer is, and what comes later is served as before.
    @Test(arguments: [("GET", "/stream"), ("GET", "/silent"), ("GET", "/socket"), ("POST", "/stream"), ("POST", "/silent")])
    func withdrawalEndsWhatIsOpen(method: String, path: String) async throws {
        try await Self.run { proxy, begins, ends in
            let client = Task {
                try await proxy.client { descriptor in
                    Self.send(descriptor, path == "/socket" ? proxy.handshake(path) : Self.request(method, path, proxy))
                    return RawClient.readAll(descriptor) != nil
                }
            }
            for await _ in begins { break }
            proxy.credentials.withdraw()
            #expect(await ends.first { _ in true } == path)
            #expect(try await client.value, "the connection stays open")
            let later = try await proxy.exchange(proxy.request("/later", also: "Connection: close\r\n"))
            #expect(later.hasPrefix("HTTP/1.1 200 "), "\(later)")
        }
    }

    /// The answer is no longer wanted then.
    @Test(arguments: [("GET", "/stream"), ("GET", "/silent"), ("POST", "/stream"), ("POST", "/silent")])
    func endOfTheClientEndsItsRequest(method: String, path: String) async throws {
        try await Self.run { proxy, begins, ends in
            let descriptor = try await proxy.client { descriptor in
                Self.send(descriptor, Self.request(method, path, proxy))
                return dup(descriptor)
            }
            for await _ in begins { break }
            close(descriptor)
            #expect(await ends.first { _ in true } == path)
        }
    }

    /// A request; one with a body is streamed.
    private static func request(_ method: String, _ path: String, _ proxy: ProxyFixture) -> String {
        guard method == "POST" else { return proxy.request(path) }
        return proxy.request(path, method: method, also: "Transfer-Encoding: chunked\r\n") + "1\r\na\r\n0\r\n\r\n"
    }

    /// The client learns of the failure before it sends more.
    @Test func brokenUploadIsAnsweredAtOnce() async throws {
        try await ProxyFixture.run(Self.server(AsyncStream.makeStream().continuation)) { proxy in
            let answer = try await proxy.client { descriptor in
                Self.send(descriptor, proxy.request("/broken", method: "POST", also: "Transfer-Encoding: chunked\r\n") + "1\r\na\r\n")
                return BlockingServer.head(descriptor)
            }
            #expect(answer.hasPrefix("HTTP/1.1 502 "), "\(answer)")
        }
    }

    /// The header of each request has a time limit, its body has none.
    @Test func slowHeaderEndsTheConnection() async throws {
        // Long enough for the header that comes at once, on a busy machine too.
        try await ProxyFixture.run(headerTime: .seconds(8), Self.server(AsyncStream.makeStream().continuation)) { proxy in
            let answers = try await proxy.client { uploading -> [String] in
                Self.send(uploading, proxy.request("/upload", method: "POST", also: "Content-Length: 2\r\nConnection: close\r\n") + "1")
                let slow = ["GET", proxy.request("/a") + "GET"].map { start -> CInt? in
                    guard let descriptor = RawClient.connected(port: proxy.port) else { return nil }
                    Self.send(descriptor, start)
                    return descriptor
                }.map { descriptor -> String in
                    guard let descriptor else { return "no connection" }
                    defer { close(descriptor) }
                    return RawClient.readAll(descriptor) ?? "no end"
                }
                // Longer than the limit by now.
                Self.send(uploading, "2")
                return slow + [RawClient.readAll(uploading) ?? "no end"]
            }
            #expect(answers[0] == "")
            #expect(answers[1].ranges(of: "HTTP/1.1 ").count == 1 && answers[1].hasSuffix("ok"), "\(answers[1])")
            #expect(answers[2].hasSuffix("ok"), "\(answers[2])")
        }
    }

    /// A connection that only waits makes room for another one: the oldest first.
    @Test func waitingConnectionMakesRoom() async throws {
        try await ProxyFixture.run(limit: 3, Self.server(AsyncStream.makeStream().continuation)) { proxy in
            let (first, last) = try await proxy.client { first -> (String?, String) in
                let others = (0..<2).compactMap { _ in RawClient.connected(port: proxy.port) }
                defer { for other in others { close(other) } }
                // Each is served once, so that the proxy knows them.
                for descriptor in [first] + others {
                    Self.send(descriptor, proxy.request("/a"))
                    _ = BlockingServer.head(descriptor)
                    _ = BlockingServer.read(descriptor, count: 2)
                }
                guard let fourth = RawClient.connected(port: proxy.port) else { return ("", "no connection") }
                defer { close(fourth) }
                Self.send(fourth, proxy.request("/a", also: "Connection: close\r\n"))
                return (RawClient.readAll(first), RawClient.readAll(fourth) ?? "no end")
            }
            #expect(first == "")
            #expect(last.hasSuffix("ok"), "\(last)")
        }
    }

    /// Without room, another client waits until a connection ends.
    @Test func clientWaitsForRoom() async throws {
        try await ProxyFixture.run(limit: 1, Self.server(AsyncStream.makeStream().continuation)) { proxy in
            let answer = try await proxy.client { first -> String in
                Self.send(first, proxy.request("/stream"))
                _ = BlockingServer.head(first)
                guard let second = RawClient.connected(port: proxy.port) else { return "no connection" }
                defer { close(second) }
                Self.send(second, proxy.request("/a", also: "Connection: close\r\n"))
                shutdown(first, Int32(SHUT_RDWR))
                return RawClient.readAll(second) ?? "no end"
            }
            #expect(answer.hasSuffix("ok"), "\(answer)")
        }
    }
}
