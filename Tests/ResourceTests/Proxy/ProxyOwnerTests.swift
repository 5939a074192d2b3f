import Glibc
import ProcessHarness
import Synchronization
import TestSupport
import Testing

@testable import ResourceProxy

/// Who may use a proxy on a port: other users can know its secret, because commands have URLs in their arguments.
@Suite struct ProxyOwnerTests {
    private final class Count: Sendable {
        private let value = Mutex(0)

        /// Counts one more, and returns the number.
        @discardableResult func next() -> Int {
            value.withLock { value in
                value += 1
                return value
            }
        }

        var number: Int { value.withLock(\.self) }
    }

    /// A server that answers every request, and counts them.
    private static func server(_ count: Count) -> @Sendable (CInt, String) -> Void {
        { descriptor, _ in
            count.next()
            RawClient.sendAll(descriptor, Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok".utf8))
        }
    }

    private static let closing = "Connection: close\r\n"

    /// The same request with the right secret, sent by another user and by this one.
    @Test(.enabled(if: geteuid() == 0, "becoming another user takes root"))
    func anotherUserIsRefusedInSpiteOfTheSecret() async throws {
        let reached = Count()
        try await ProxyFixture.run(Self.server(reached)) { proxy in
            let request = proxy.request("/a", also: Self.closing).replacing("\r\n", with: "\\r\\n")
            func status(as command: String) async throws -> Substring? {
                let folder = try TestFolder()
                try await folder.shellBesideTasks(
                    "\(command) bash -c 'exec 3<>/dev/tcp/127.0.0.1/\(proxy.port); printf \"\(request)\" >&3; head -n 1 <&3' >answer")
                return folder.read("answer")?.split(separator: " ").dropFirst().first
            }
            let answers = [try await status(as: "setpriv --reuid=65534 --clear-groups"), try await status(as: "")]
            #expect(answers == ["403", "200"])
        }
        #expect(reached.number == 1)
    }

    @Test(arguments: [true, false]) func ownerOfTheConnectionDecides(isForeign: Bool) async throws {
        let reached = Count()
        try await ProxyFixture.run(isForeign: { _ in isForeign }, Self.server(reached)) { proxy in
            let answer = try await proxy.exchange(proxy.request("/a", also: Self.closing))
            #expect(answer.hasPrefix(isForeign ? "HTTP/1.1 403 " : "HTTP/1.1 200 "), "\(answer)")
        }
        #expect(reached.number == (isForeign ? 0 : 1))
    }

    @Test func connectionsOfOthersTakeNoPlace() async throws {
        let seen = Count()
        try await ProxyFixture.run(limit: 1, isForeign: { _ in seen.next() <= 8 }, Self.server(Count())) { proxy in
            for _ in 0..<8 {
                let refused = try await proxy.exchange(proxy.request("/a"))
                #expect(refused.hasPrefix("HTTP/1.1 403 "), "\(refused)")
            }
            let own = try await proxy.exchange(proxy.request("/a", also: Self.closing))
            #expect(own.hasPrefix("HTTP/1.1 200 "), "\(own)")
        }
    }

    /// Programs never see the token in a header field, even if the server sends it back there.
    @Test(arguments: ["X-Echo: Bearer token0", "Location: /next?t=token0", "token0: a", "X: a, token0, b", "X: token0\u{301}"])
    func tokenInAHeaderFieldOfTheResponseIsRefused(field: String) async throws {
        for status in ["200 OK\r\nContent-Length: 2", "101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade"] {
            let response = "HTTP/1.1 \(status)\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\(field)\r\n\r\nok"
            try await ProxyFixture.run({ descriptor, _ in RawClient.sendAll(descriptor, Array(response.utf8)) }) { proxy in
                let request = status.hasPrefix("101") ? proxy.handshake() : proxy.request("/a", also: Self.closing)
                let answer = try await proxy.exchange(request)
                #expect(answer.hasPrefix("HTTP/1.1 502 "), "\(answer)")
                #expect(!answer.contains("token0"), "\(answer)")
            }
        }
    }
}
