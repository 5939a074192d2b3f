import AuthModel
import Glibc
import ProcessHarness
import Synchronization
import Testing

@testable import ResourceProxy

/// WebSockets through the proxy.
@Suite struct ProxyUpgradeTests {
    private static let accepted =
        "HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\nSet-Cookie: a=b\r\n\r\n"

    private static func send(_ descriptor: CInt, _ text: String) { RawClient.sendAll(descriptor, Array(text.utf8)) }

    @Sendable private static func echo(_ descriptor: CInt, _ head: String) {
        send(descriptor, accepted)
        var piece = [UInt8](repeating: 0, count: 65_536)
        while case let count = read(descriptor, &piece, piece.count), count > 0 {
            RawClient.sendAll(descriptor, Array(piece.prefix(count)))
        }
    }

    @Test func handshakeAndBytesArePassedOn() async throws {
        let heads = Mutex<[String]>([])
        try await ProxyFixture.run({ descriptor, head in
            heads.withLock { $0.append(head) }
            Self.echo(descriptor, head)
        }) { proxy in
            let answer = try await proxy.client { descriptor in
                Self.send(descriptor, proxy.handshake(also: "Authorization: Bearer own\r\nCookie: c\r\n") + "early")
                let head = BlockingServer.head(descriptor)
                Self.send(descriptor, "\0later")
                return (head, BlockingServer.read(descriptor, count: 11))
            }
            #expect(answer.1 == Array("early\0later".utf8))
            let lines = answer.0.split(separator: "\r\n").map { $0.lowercased() }
            #expect(lines.first == "http/1.1 101 switching protocols")
            #expect(
                Set(lines.dropFirst()) == [
                    "sec-websocket-accept: s3pplmbitxaq9kygzzhzrbk+xoo=", "connection: upgrade", "upgrade: websocket",
                ])
        }
        let sent = heads.withLock { $0 }.joined()
        #expect(sent.hasPrefix("GET /socket HTTP/1.1\r\n"))
        #expect(sent.contains("\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"))
        #expect(sent.contains("\r\nAuthorization: Bearer token0\r\n") && !sent.contains("own"))
    }

    @Test func largeMessagesPassInBothDirections() async throws {
        try await ProxyFixture.run(Self.echo) { proxy in
            let size = 10 << 20
            let count = try await proxy.client { descriptor in
                Self.send(descriptor, proxy.handshake())
                _ = BlockingServer.head(descriptor)
                let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 >> 12) }
                Task { await RawClient.run { RawClient.sendAll(descriptor, bytes) } }
                return BlockingServer.read(descriptor, count: size) == bytes ? size : 0
            }
            #expect(count == size)
        }
    }

    @Test func refusedTokenIsReplacedOnce() async throws {
        try await ProxyFixture.run({ descriptor, head in
            guard head.contains("token1") else { return Self.send(descriptor, "HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n") }
            Self.echo(descriptor, head)
        }) { proxy in
            let answer = try await proxy.client { descriptor in
                Self.send(descriptor, proxy.handshake())
                return BlockingServer.head(descriptor)
            }
            #expect(answer.hasPrefix("HTTP/1.1 101 "))
            #expect(proxy.credentials.refused.withLock { $0 } == 1)
        }
    }

    /// Any answer but 101 is the client's, and ends the connection: what follows is no request.
    @Test(arguments: [
        ("HTTP/1.1 403 No\r\nContent-Length: 2\r\n\r\nno", "403", "no"), ("HTTP/1.1 401 No\r\nContent-Length: 2\r\n\r\nno", "401", "no"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "200", "ok"), ("HTTP/1.1 200 OK\r\n\r\nok", "200", "ok"),
        ("HTTP/1.1 426 Version\r\nSec-WebSocket-Version: 13\r\nContent-Length: 0\r\n\r\n", "426", ""),
        ("HTTP/1.1 101 x\r\nUpgrade: other\r\nConnection: Upgrade\r\n\r\n", "502", nil),
        ("HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n", "502", nil),
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok.", "502", nil),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", "502", nil),
        ("", "502", nil),
    ])
    func refusalIsPassedOn(answer: String, status: String, body: String?) async throws {
        try await ProxyFixture.run({ descriptor, _ in Self.send(descriptor, answer) }) { proxy in
            let text = try await proxy.client { descriptor in
                Self.send(descriptor, proxy.handshake() + proxy.handshake("/smuggled"))
                return RawClient.readAll(descriptor) ?? "no end"
            }
            #expect(text.hasPrefix("HTTP/1.1 \(status) "), "\(text)")
            #expect(text.ranges(of: "HTTP/1.1 ").count == 1)
            #expect(text.lowercased().contains("connection: close"))
            if let body { #expect(text.contains(body)) }
        }
    }

    @Test func stallingServerEndsAtTheDeadline() async throws {
        try await ProxyFixture.run(deadline: .milliseconds(200), { descriptor, _ in _ = BlockingServer.read(descriptor, count: 1) }) {
            proxy in
            let text = try await proxy.client { descriptor in
                Self.send(descriptor, proxy.handshake())
                return RawClient.readAll(descriptor) ?? "no end"
            }
            #expect(text.hasPrefix("HTTP/1.1 502 "), "\(text)")
            #expect(text.contains("did not answer within 200 ms"))
        }
    }

    /// The end of one side ends the other, after the last bytes.
    @Test func endOfTheServerReachesTheClient() async throws {
        try await ProxyFixture.run({ descriptor, _ in
            Self.send(descriptor, Self.accepted)
            RawClient.sendAll(descriptor, [UInt8](repeating: 0x61, count: 3 << 20))
        }) { proxy in
            let text = try await proxy.client { descriptor in
                Self.send(descriptor, proxy.handshake())
                _ = BlockingServer.head(descriptor)
                return RawClient.readAll(descriptor) ?? "no end"
            }
            #expect(text.utf8.count == 3 << 20)
        }
    }

    @Test func endOfTheClientReachesTheServer() async throws {
        let (ends, end) = AsyncStream.makeStream(of: Int.self)
        try await ProxyFixture.run({ descriptor, _ in
            Self.send(descriptor, Self.accepted)
            end.yield(BlockingServer.read(descriptor, count: .max).count)
        }) { proxy in
            try await proxy.client { descriptor in
                Self.send(descriptor, proxy.handshake())
                _ = BlockingServer.head(descriptor)
                RawClient.sendAll(descriptor, [UInt8](repeating: 0x61, count: 1 << 20))
            }
            var iterator = ends.makeAsyncIterator()
            #expect(await iterator.next() == 1 << 20)
        }
    }

    @Test func endOfTheProxyEndsConnections() async throws {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        try await ProxyFixture.run({ descriptor, head in
            Self.echo(descriptor, head)
            end.yield()
        }) { proxy in
            let (opened, open) = AsyncStream.makeStream(of: Void.self)
            Task {
                try await proxy.client { descriptor in
                    Self.send(descriptor, proxy.handshake())
                    _ = BlockingServer.head(descriptor)
                    open.yield()
                    _ = RawClient.readAll(descriptor)
                    end.yield()
                }
            }
            var iterator = opened.makeAsyncIterator()
            await iterator.next()
        }
        var iterator = ends.makeAsyncIterator()
        await iterator.next()
        await iterator.next()
    }

    @Test(arguments: [
        ("Origin: https://evil.example\r\n", "403"), ("Sec-Fetch-Site: same-site\r\n", "403"), ("Host: evil.example\r\n", "40"),
        ("Content-Length: 5\r\n", "400"), ("Transfer-Encoding: chunked\r\n", "400"), ("Sec-WebSocket-Key: x\r\n", "400"),
        ("Sec-WebSocket-Version: 8\r\n", "400"), ("Upgrade: h2c\r\n", "501"), ("X: a\rb\r\n", "400"), ("X: a\r\n b\r\n", "400"),
    ])
    func handshakeIsChecked(fields: String, status: String) async throws {
        try await ProxyFixture.run(Self.echo) { proxy in
            let text = try await proxy.client { descriptor in
                Self.send(descriptor, proxy.handshake(also: fields))
                return BlockingServer.head(descriptor)
            }
            #expect(text.hasPrefix("HTTP/1.1 \(status)"), "\(text)")
        }
    }

    @Test func otherMethodsAreRefused() async throws {
        try await ProxyFixture.run(Self.echo) { proxy in
            let text = try await proxy.client { descriptor in
                Self.send(descriptor, proxy.handshake(method: "POST"))
                return BlockingServer.head(descriptor)
            }
            #expect(text.hasPrefix("HTTP/1.1 400 "), "\(text)")
        }
    }
}
