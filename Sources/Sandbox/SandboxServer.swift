import AuthModel
import Synchronization

/// A test provider on 127.0.0.1.
///
/// ```swift
/// let sandbox = try await SandboxServer.start(SandboxConfiguration(autoApproves: "ada"))
/// // … sign in at sandbox.issuer …
/// await sandbox.set([.refresh(.invalidGrant)])
/// await sandbox.stop()
/// ```
///
/// Several can run side by side, each on its own port with its own users, keys and grants.
public final class SandboxServer: StoppableServer {
    /// The issuer identifier, such as `http://127.0.0.1:41234`.
    public let issuer: String
    /// The port on 127.0.0.1.
    public let port: Int

    private let provider: OpenIDProvider
    private let host: SandboxHost

    private init(provider: OpenIDProvider, host: SandboxHost) {
        self.provider = provider
        self.host = host
        port = host.port
        issuer = provider.issuer
    }

    /// Starts a provider; it accepts requests when this returns.
    ///
    /// - Throws: ``AuthFailure`` of kind `configuration` if the port is taken or the issuer's path is invalid.
    public static func start(_ configuration: SandboxConfiguration = SandboxConfiguration()) async throws -> SandboxServer {
        guard configuration.issuerPath.isEmpty || configuration.issuerPath.first == "/",
            configuration.issuerPath.last != "/", WebURL("http://127.0.0.1" + configuration.issuerPath)?.path == configuration.issuerPath
        else {
            throw AuthFailure(.configuration, text: "the sandbox's issuer path is not a path", hint: "write it like /tenant/a")
        }
        let offset = ClockOffset()
        let time = configuration.time
        var made: OpenIDProvider?
        let host = try await SandboxHost.start(
            port: configuration.port, clock: { time.now + offset.value }, dateSkew: { configuration.dateHeaderSkew }
        ) { port, log in
            let provider = try OpenIDProvider(configuration: configuration, port: port, clockOffset: offset, log: log)
            made = provider
            return RouteTable([provider])
        }
        guard let provider = made else { throw AuthFailure(.bug, text: "the sandbox started without a provider") }
        return SandboxServer(provider: provider, host: host)
    }

    /// Starts a provider, passes it to `body`, and stops it in every case.
    public static func running<Result: Sendable>(
        _ configuration: SandboxConfiguration = SandboxConfiguration(), _ body: (SandboxServer) async throws -> Result
    ) async throws -> Result {
        let server = try await start(configuration)
        return try await server.stopping(after: body)
    }

    /// Waits until the server is stopped; stops it when the calling task is cancelled.
    public func runUntilCancelled() async { await host.runUntilCancelled() }

    /// Closes the port and all connections. When this returns, the port is free.
    public func stop() async { await host.stop() }

    // MARK: Requests

    /// The requests so far, in their order.
    public var requests: [LoggedRequest] { host.log.requests }

    /// Returns a stream of the requests so far and of all later ones; it ends when the server stops.
    public func followRequests() -> AsyncStream<LoggedRequest> { host.log.follow() }

    /// Deletes the requests so far from the log.
    public func clearRequests() { host.log.clear() }

    // MARK: Controls

    /// Replaces the faults to make.
    public func set(_ faultSet: FaultSet) async { await provider.set(faultSet) }

    /// Signs a user in and consents without any page; `nil` shows the pages again.
    public func autoApprove(as username: String?) async { await provider.set(autoApproves: username) }

    /// Forgets every client that has registered, as a server that keeps them in memory does at a restart.
    public func forgetClients() async { await provider.forgetClients() }

    /// Moves the provider's clock forward or back; everything that it issued ages accordingly.
    public func advance(by duration: Duration) async { await provider.advance(by: duration) }

    /// Replaces the signing keys with new ones.
    public func rotateKeys() async throws { try await provider.rotateKeys() }

    /// Revokes every grant, as an administrator would; no token is valid any more.
    public func revokeEverything() async { await provider.revokeEverything() }

    /// Approves the device that shows `userCode`, or denies it with `nil`, as a user does on the verification page.
    ///
    /// - Returns: Whether a device waits with this code and the user exists.
    @discardableResult
    public func decide(userCode: String, as username: String?) async -> Bool { await provider.decide(userCode: userCode, as: username) }

    /// Adds a user who can sign in.
    public func add(_ user: SandboxUser) async { await provider.add(user) }
}

/// The difference between the provider's clock and the system clock.
final class ClockOffset: Sendable {
    private let offset = Mutex(Duration.zero)

    var value: Duration { offset.withLock { $0 } }

    func add(_ duration: Duration) { offset.withLock { $0 += duration } }
}
