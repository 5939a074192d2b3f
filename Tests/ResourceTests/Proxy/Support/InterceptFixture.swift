import AuthEngine
import AuthModel
import Glibc
import NIOCore
import OAuth
import ProcessHarness
import Synchronization
import Testing

@testable import ResourceProxy

/// A proxy for HTTPS in this process, for the hosts `a.example` and `b.example`, each of a session of its own.
struct InterceptFixture: Sendable {
    let port: Int
    /// The password in its address.
    let secret: String
    /// The value of `Proxy-Authorization` for it.
    var password: String { "Basic " + Base64.encode(Array("yett:\(secret)".utf8)) }
    /// By host.
    let credentials: [String: ProxyFixture.Credentials]
    private let seen: Seen

    /// What the proxy has refused, and its connections in their order.
    fileprivate final class Seen: Sendable {
        let refusals = Mutex<[String]>([])
        let channels = Mutex<[any Channel]>([])
    }

    /// The refusals that the proxy has reported.
    var refusals: [String] { seen.refusals.withLock(\.self) }

    /// Runs `body` with a proxy.
    ///
    /// - Parameters:
    ///   - isForeign: whether a connection is another user's; the parameter counts from 1.
    ///   - leaveTime: the time that a client has to leave after a refusal.
    static func run(
        limit: Int = ProxyConnection.limit, leaveTime: TimeAmount = .seconds(2),
        isForeign: @escaping @Sendable (_ number: Int) -> Bool = { _ in false },
        _ body: @escaping @Sendable (InterceptFixture) async throws -> Void
    ) async throws {
        let seen = Seen()
        let credentials = ["a.example": ProxyFixture.Credentials(), "b.example": ProxyFixture.Credentials()]
        let hosts = try credentials.map { host, credentials in
            InterceptingProxy.Host(
                target: try #require(WebURL("https://\(host)")), policy: TransportPolicy(deadline: .seconds(60)), credentials: credentials)
        }
        var proxy = InterceptingProxy(
            hosts: hosts, at: .user(getuid()), authority: try CommandCertificateAuthority(hosts: credentials.keys.sorted()),
            transport: CurlTransport(version: "0.0-test", environment: [:]), refusesOthers: false,
            noteRefusal: { reason, _ in seen.refusals.withLock { $0.append(reason) } })
        (proxy.connectionLimit, proxy.leaveTime) = (limit, leaveTime)
        proxy.isForeign = { channel in
            isForeign(
                seen.channels.withLock { channels in
                    channels.append(channel)
                    return channels.count
                })
        }
        let (places, ready) = AsyncStream.makeStream(of: String.self)
        let running = Task { [proxy] in try await proxy.run { ready.yield($0.reveal()) } }
        defer { running.cancel() }
        var iterator = places.makeAsyncIterator()
        let place = try #require(await iterator.next())
        let parts = try #require(place.wholeMatch(of: #/http://yett:(.+)@127\.0\.0\.1:(\d+)/#)?.output)
        try await body(
            InterceptFixture(
                port: try #require(Int(parts.2)), secret: String(parts.1), credentials: credentials, seen: seen))
        running.cancel()
        _ = try? await running.value
    }

    /// The header of a request for a connection.
    func connect(_ host: String, port: Int = 443) -> String {
        "CONNECT \(host):\(port) HTTP/1.1\r\nProxy-Authorization: \(password)\r\n\r\n"
    }

    /// Sends text on a connection of its own, and returns what comes back until it ends.
    func exchange(_ text: String) async throws -> String { try #require(await RawClient.exchange(port: port, text)) }

    /// The number of bytes that the proxy keeps of what its last client has sent; `nil` if the connection has ended.
    func keptCount() async throws -> Int? {
        let last = seen.channels.withLock(\.last)
        let channel = try #require(last)
        return try? await channel.eventLoop.submit {
            try channel.pipeline.syncOperations.handler(type: ConnectReader.self).bytes.readableBytes
        }.get()
    }
}
