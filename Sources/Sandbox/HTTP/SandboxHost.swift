import AuthModel
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import OperatingSystem

/// The HTTP server of a sandbox on 127.0.0.1: its port, its request log, and its shutdown.
final class SandboxHost: Sendable {
    let port: Int
    let log: RequestLog
    private let front: HTTPFront
    private let run: ServerRun

    private init(port: Int, log: RequestLog, front: HTTPFront, run: ServerRun) {
        self.port = port
        self.log = log
        self.front = front
        self.run = run
    }

    /// Starts listening. Requests are answered once `open` has made the routes, which is before this returns.
    ///
    /// - Parameters:
    ///   - port: the port; 0 for any free port.
    ///   - clock: returns the provider's own time.
    ///   - dateSkew: returns the difference between the `Date` field and that time; called for every response.
    ///   - tls: the TLS behaviour of the port.
    /// - Throws: ``AuthFailure`` of kind `configuration` if the port is taken, and any error of `open`.
    static func start(
        port: Int, clock: @escaping @Sendable () -> Timestamp, dateSkew: @escaping @Sendable () -> Duration,
        tls: TLSConnections = TLSConnections { .off },
        open: (_ port: Int, _ log: RequestLog) throws -> RouteTable
    ) async throws -> SandboxHost {
        let log = RequestLog()
        let front = HTTPFront(log: log, tls: tls, dateSkew: dateSkew, clock: clock)
        let (bound, boundContinuation) = AsyncThrowingStream<Int, any Error>.makeStream()
        // One thread only: with two, a browser's first requests can crash the runtime while it builds the pipeline's types (Swift 6.3, in
        // the check of a class's conformance before the class is complete).
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let server = Server(
            childChannelSetup: TLSChannel(
                base: HTTP1Channel(responder: { try await front.respond($0, $1, on: $2) }), connections: tls),
            configuration: ServerConfiguration(address: .hostname("127.0.0.1", port: port)),
            // The server awaits this before it accepts the first connection, so this must not wait for the server.
            onServerRunning: { boundContinuation.yield($0.localAddress?.port ?? 0) },
            eventLoopGroup: loop,
            logger: Logger(label: "sandbox") { _ in SwiftLogNoOpLogHandler() })
        let run = ServerRun(server: server, front: front, loop: loop) { boundContinuation.finish(throwing: $0) }
        do {
            guard let port = try await bound.first(where: { _ in true }) else { throw CancellationError() }
            front.open(with: try open(port, log))
            return SandboxHost(port: port, log: log, front: front, run: run)
        } catch let error as IOError {
            throw AuthFailure(
                .configuration, text: "the sandbox cannot listen on port \(port): \(SystemError(number: error.errnoCode).text)",
                hint: "choose another port, or 0 for any that is free")
        } catch {
            await run.stop()
            throw error
        }
    }

    /// Waits until the server is stopped; stops it when the calling task is cancelled.
    func runUntilCancelled() async {
        await withTaskCancellationHandler {
            await run.ended()
        } onCancel: {
            Task { await run.stop() }
        }
        log.finish()
    }

    /// Closes the port and all connections. When this returns, the port is free.
    func stop() async {
        await run.stop()
        log.finish()
    }
}
