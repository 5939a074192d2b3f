import AuthEngine
import AuthModel
import Glibc
import NIOCore
import OAuth
import ProcessHarness
import ResourceClient
import Synchronization
import Testing

@testable import ResourceProxy

/// A proxy in this process, in front of a scripted server, with tokens that are numbered.
struct ProxyFixture: Sendable {
    let port: Int
    /// The first part of each path.
    let secret: String
    let credentials: Credentials

    final class Credentials: ProxyCredentials {
        let fields: Set = ["authorization"]
        let refused = Mutex(0)
        let end = Mutex<AuthFailure?>(nil)
        private let (stream, withdrawal) = AsyncStream.makeStream(of: Void.self)

        /// Takes the credentials of open requests back.
        func withdraw() { withdrawal.yield() }

        func withdrawals() -> AsyncStream<Void> { stream }

        func credential(for url: WebURL, refused: Secret?) async throws(AuthFailure) -> SessionCredential {
            if let end = end.withLock({ $0 }) { throw end }
            let number = self.refused.withLock { count in
                if refused != nil { count += 1 }
                return count
            }
            guard let session = SessionName("work/ada") else { throw AuthFailure(.bug, text: "no name") }
            let token = IssuedToken(
                token: Secret("token\(number)"), tokenType: "Bearer", expiresAt: nil, scopes: [], session: session)
            return SessionCredential(token, dialect: BearerDialect(), proofs: nil)
        }
    }

    /// Runs `body` with a proxy in front of a server.
    static func run(
        deadline: Duration = .seconds(60), headerTime: TimeAmount = .seconds(60), limit: Int = ProxyConnection.limit,
        isForeign: (@Sendable (any Channel) -> Bool)? = nil,
        _ script: @escaping @Sendable (CInt, String) -> Void,
        _ body: @escaping @Sendable (ProxyFixture) async throws -> Void
    ) async throws {
        let server = try BlockingServer(script)
        let credentials = Credentials()
        var proxy = ProxyServer(
            target: try #require(WebURL("http://127.0.0.1:\(server.port)")), address: .tcp(port: 0),
            transport: CurlTransport(version: "0.0-test", environment: [:]), policy: TransportPolicy(deadline: deadline),
            credentials: credentials)
        (proxy.headerTime, proxy.connectionLimit) = (headerTime, limit)
        if let isForeign { proxy.isForeign = isForeign }
        let (places, ready) = AsyncStream.makeStream(of: String.self)
        let running = Task { [proxy] in try await proxy.run { ready.yield($0.reveal()) } }
        defer { running.cancel() }
        var iterator = places.makeAsyncIterator()
        let place = try #require(await iterator.next())
        let url = try #require(WebURL(place))
        try await body(ProxyFixture(port: url.origin.port, secret: String(url.path.dropFirst().dropLast()), credentials: credentials))
        running.cancel()
        _ = try? await running.value
        withExtendedLifetime(server) {}
    }

    /// Runs a client with a connection to the proxy, on a thread of its own.
    func client<Result: Sendable>(_ body: @escaping @Sendable (CInt) -> Result) async throws -> Result {
        let port = port
        let result = await RawClient.run { () -> Result? in
            guard let descriptor = RawClient.connected(port: port) else { return nil }
            defer { close(descriptor) }
            return body(descriptor)
        }
        return try #require(result)
    }

    /// Sends text on a connection of its own, and returns what comes back until it ends.
    func exchange(_ text: String) async throws -> String {
        try await client { descriptor in
            RawClient.sendAll(descriptor, Array(text.utf8))
            return RawClient.readAll(descriptor) ?? "no end"
        }
    }

    /// The header of a request.
    func request(_ path: String, method: String = "GET", also fields: String = "") -> String {
        "\(method) /\(secret)\(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\(fields)\r\n"
    }

    /// The opening handshake of a WebSocket.
    func handshake(_ path: String = "/socket", method: String = "GET", also fields: String = "") -> String {
        """
        \(method) /\(secret)\(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\(fields)\r\n
        """
    }
}
