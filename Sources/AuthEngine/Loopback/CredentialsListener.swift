package import AuthModel
import LocalServer
package import NIOCore
import NIOHTTP1
import OAuth
import Synchronization

/// A loopback port where one command gets temporary credentials: the container credentials endpoint of AWS SDKs, which ask again before
/// the credentials end.
///
/// A request is answered only if it is a GET of exactly the path, with exactly its host and port in the Host field, with the command's own
/// token, and from a program of the same user. No browser can send the token, and no other user knows it.
package final class CredentialsListener: Sendable {
    /// The address of the credentials.
    package let address: WebURL
    /// The value of the `Authorization` field of each request: 256 random bits.
    package let token: Secret

    private let server: SocketServer

    private init(_ address: WebURL, _ token: Secret, _ server: SocketServer) {
        (self.address, self.token, self.server) = (address, token, server)
    }

    /// Opens a port on loopback.
    ///
    /// - Parameters:
    ///   - isForeign: whether a connection is from another user's program.
    ///   - issue: returns the document for a request.
    /// - Throws: `.configuration` if no port can be bound.
    package static func open(
        isForeign: @escaping @Sendable (any Channel) -> Bool = { PeerOwner.isAnotherUser(of: $0) },
        _ issue: @escaping @Sendable () async -> Result<Secret, AuthFailure>
    ) async throws(AuthFailure) -> CredentialsListener {
        let token = Secret(Base64URL.encode([UInt8].random(count: 32)))
        var failures: [LoopbackBinding.Failure] = []
        // AWS SDKs accept both literals.
        for host in ["127.0.0.1", "::1"] {
            do throws(LoopbackBinding.Failure) {
                let binding = try LoopbackBinding.reserve(host, port: nil)
                let core = CredentialsCore(Origin(scheme: .http, host: host, port: binding.port), token, isForeign, issue)
                let server = try await SocketServer.start(binding, pages: core)
                if let address = WebURL(core.origin + CredentialsCore.path) { return CredentialsListener(address, token, server) }
            } catch {
                failures.append(error)
            }
        }
        throw LoopbackBinding.Failure.combined(failures)
    }

    /// Closes the port.
    package func close() async { await server.close() }
}

/// The state that the connections of a ``CredentialsListener`` share.
private final class CredentialsCore: PageServer {
    static let path = "/credentials"

    let origin: String
    let limits = ListenerLimits()
    let connections: ConnectionTable
    private let authority: String
    private let token: Secret
    private let isForeign: @Sendable (any Channel) -> Bool
    private let issue: @Sendable () async -> Result<Secret, AuthFailure>

    init(
        _ origin: Origin, _ token: Secret, _ isForeign: @escaping @Sendable (any Channel) -> Bool,
        _ issue: @escaping @Sendable () async -> Result<Secret, AuthFailure>
    ) {
        (self.origin, authority, self.token, self.isForeign, self.issue) = (origin.description, origin.authority, token, isForeign, issue)
        connections = ConnectionTable(limit: limits.connections)
    }

    func answer(_ request: PageRequest, on connection: any Channel, reply: @escaping @Sendable (PageAnswer) -> Void) {
        let head = request.head
        guard request.isFor(authority: authority), request.body.isEmpty else { return reply(Self.failure(.badRequest, "invalid request")) }
        guard head.uri == Self.path else { return reply(Self.failure(.notFound, "not found")) }
        guard head.method == .GET else { return reply(Self.failure(.methodNotAllowed, "only GET is allowed")) }
        let fields = head.headers["authorization"]
        guard fields.count == 1, Secret(fields[0]) == token, !isForeign(connection) else {
            return reply(Self.failure(.unauthorized, "the authorization token is missing or wrong"))
        }
        connections.begin(connection)
        Task {
            switch await issue() {
            case .success(let document): reply(Self.page(.ok, document.reveal()))
            // The reason is in Yett's own error message; the SDK prints this one.
            // An SDK asks again after 503; what failed may succeed after the user's sign-in or consent.
            case .failure(let failure):
                reply(Self.failure(.serviceUnavailable, "yett has no credentials (exit \(failure.exitCode))"))
            }
        }
    }

    private static func failure(_ status: HTTPResponseStatus, _ text: String) -> PageAnswer {
        page(status, JSONValue.members(("code", .string(status.reasonPhrase)), ("message", .string(text))).text)
    }

    private static func page(_ status: HTTPResponseStatus, _ body: String) -> PageAnswer {
        PageAnswer(
            status: status,
            headers: [
                "Content-Type": "application/json", "Content-Length": String(body.utf8.count), "Cache-Control": "no-store",
                "X-Content-Type-Options": "nosniff", "Connection": "close",
            ], body: body)
    }
}
