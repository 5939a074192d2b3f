import AuthModel
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import OperatingSystem
import Synchronization

/// The HTTP server of a sandbox on 127.0.0.1: its port, its request log, and its shutdown.
final class SandboxHost: StoppableServer {
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

/// A running server that can be stopped without a crash.
///
/// Cancelling the server's task drops connections that are accepted but not yet handled, which NIO treats as a bug. So stopping first
/// closes the port, then the connections with responses under way, and cancels only what does not end by itself.
final class ServerRun: Sendable {
    private let server: Server<TLSChannel>
    private let front: HTTPFront
    private let loop: any EventLoop
    private let task: Task<Void, Never>

    /// Starts the server.
    ///
    /// - Parameters:
    ///   - loop: the server's event loop.
    ///   - ended: called when the server has stopped, with the error if it failed.
    init(server: Server<TLSChannel>, front: HTTPFront, loop: any EventLoop, ended: @escaping @Sendable ((any Error)?) -> Void) {
        self.server = server
        self.front = front
        self.loop = loop
        task = Task {
            do {
                try await server.run()
                ended(nil)
            } catch {
                ended(error)
            }
        }
    }

    /// Waits until the server has stopped.
    func ended() async { await task.value }

    /// Stops the server. When this returns, the port is free.
    func stop() async {
        let closing = Task { try? await server.shutdownGracefully() }
        front.closeConnections()
        // A client that sent half a request could keep its connection open without limit.
        let limit = loop.scheduleTask(in: .seconds(2)) { [task] in task.cancel() }
        await task.value
        limit.cancel()
        await closing.value
    }
}

/// A server that runs until it is stopped.
protocol StoppableServer: Sendable {
    /// Closes the port and all connections. When this returns, the port is free.
    func stop() async
}

extension StoppableServer {
    /// Passes the server to `body`, and stops it in every case.
    func stopping<Result: Sendable>(after body: (Self) async throws -> Result) async throws -> Result {
        do {
            let result = try await body(self)
            await stop()
            return result
        } catch {
            await stop()
            throw error
        }
    }
}

/// An HTTP client for other servers on loopback only.
enum LoopbackClient {
    /// The maximum size of a response; client documents and token information are smaller.
    private static let limit = 1 << 16

    /// Sends one request in HTTP/1.0, so that the response has no chunks. Follows no redirects.
    ///
    /// - Returns: `nil` if the URL is not on loopback, or no complete response came within five seconds.
    static func ask(_ method: String, _ url: String, headers: [String] = [], body: String = "") async -> (status: Int, text: String)? {
        guard let target = WebURL(url), target.origin.scheme == .http, target.origin.isLoopback, target.fragment == nil else { return nil }
        let path = (target.path.isEmpty ? "/" : target.path) + (target.query.map { "?" + $0 } ?? "")
        let lines =
            ["\(method) \(path) HTTP/1.0", "Host: \(target.origin.authority)", "Connection: close", "Content-Length: \(body.utf8.count)"]
            + headers
        let request = lines.joined(separator: "\r\n") + "\r\n\r\n" + body
        guard let bytes = try? await exchange(request, with: target.origin) else { return nil }
        return answer(in: bytes)
    }

    private static func exchange(_ request: String, with origin: Origin) async throws -> [UInt8] {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: origin.host, port: origin.port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        let deadline = channel.channel.eventLoop.scheduleTask(in: .seconds(5)) { channel.channel.close(promise: nil) }
        defer { deadline.cancel() }
        return try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: request))
            var bytes: [UInt8] = []
            for try await part in inbound where bytes.count <= limit { bytes += part.readableBytesView }
            return bytes
        }
    }

    private static func answer(in bytes: [UInt8]) -> (status: Int, text: String)? {
        guard bytes.count <= limit, let text = String(validating: bytes, as: UTF8.self),
            let end = text.firstRange(of: "\r\n\r\n"), text.hasPrefix("HTTP/1."),
            let status = text.split(separator: " ", maxSplits: 2).dropFirst().first.flatMap({ Int($0) })
        else { return nil }
        return (status, String(text[end.upperBound...]))
    }
}
