import AuthModel
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import System

/// A server on 127.0.0.1 that wears personalities: the port, the log of requests, and the end.
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

    /// Listens. Requests find their answers when the routes that `open` makes for the port and log are there, that is when this returns.
    ///
    /// - Parameters:
    ///   - port: 0 for any that is free.
    ///   - clock: the provider's own time.
    ///   - dateSkew: how far the `Date` field is from that time, asked at every answer.
    ///   - tls: what it says to clients that speak TLS.
    /// - Throws: ``AuthFailure`` of kind `configuration` when the port is taken, and whatever `open` throws.
    static func start(
        port: Int, clock: @escaping @Sendable () -> Timestamp, dateSkew: @escaping @Sendable () -> Duration,
        tls: TLSConnections = TLSConnections { .off },
        open: (_ port: Int, _ log: RequestLog) throws -> RouteTable
    ) async throws -> SandboxHost {
        let log = RequestLog()
        let front = HTTPFront(log: log, tls: tls, dateSkew: dateSkew, clock: clock)
        let (bound, boundContinuation) = AsyncThrowingStream<Int, any Error>.makeStream()
        // One thread: with two, the first requests of a browser meet in the runtime while it makes the types of the pipeline, which it does
        // not survive each time (Swift 6.3, in the check of a class's conformance before the class is complete).
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let server = Server(
            childChannelSetup: TLSChannel(
                base: HTTP1Channel(responder: { try await front.respond($0, $1, on: $2) }), connections: tls),
            configuration: ServerConfiguration(address: .hostname("127.0.0.1", port: port)),
            // Awaited before the first connection is accepted, so nothing may be asked of the server in here.
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
                .configuration, "the sandbox cannot listen on port \(port): \(SystemError(number: error.errnoCode).text)",
                hint: "choose another port, or 0 for any that is free")
        } catch {
            await run.stop()
            throw error
        }
    }

    /// Waits until it is stopped, or stops it when the calling task is cancelled.
    func runUntilCancelled() async {
        await withTaskCancellationHandler {
            await run.ended()
        } onCancel: {
            Task { await run.stop() }
        }
        log.finish()
    }

    /// Closes the port and every connection. When this returns, the port is free.
    func stop() async {
        await run.stop()
        log.finish()
    }
}
