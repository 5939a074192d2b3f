import NIOCore
import NIOPosix
import Synchronization

/// A test server that answers with raw bytes, so that it can misbehave in any way.
final class RawServer: Sendable {
    /// The server's reaction to a request.
    enum Reply: Sendable {
        /// These bytes; the connection stays open.
        case bytes([UInt8])
        /// These bytes; then the connection is closed.
        case bytesThenClose([UInt8])
        /// The first bytes once, then the second bytes repeatedly until the client disconnects.
        case flood([UInt8], [UInt8])
        /// The bytes one at a time, every 5 ms, repeated until the client disconnects.
        case trickle([UInt8])
        /// These bytes; then everything that the client sends.
        case echo([UInt8])
        /// No response.
        case silence
        /// The connection is closed without a response.
        case hangUp

        static func text(_ text: String) -> Reply { .bytes(Array(text.utf8)) }

        /// Returns a complete response with a body.
        static func ok(_ body: String, headers: String = "") -> Reply {
            .text("HTTP/1.1 200 OK\r\n\(headers)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        }
    }

    private struct Record {
        var requests: [String] = []
        var connections = 0
    }

    let port: Int
    /// Yields each request that arrives.
    let arrivals: AsyncStream<String>
    private let record: RecordBox
    private let channel: any Channel

    /// The requests in order of arrival, head and body.
    var requests: [String] { record.value.withLock { $0.requests } }
    /// The number of connections.
    var connections: Int { record.value.withLock { $0.connections } }
    var origin: String { "http://127.0.0.1:\(port)" }

    private final class RecordBox: Sendable {
        let value = Mutex(Record())
    }

    /// `reply` gets the number of the request, counted from 0 over all connections, and its text.
    init(_ reply: @escaping @Sendable (Int, String) -> Reply) async throws {
        let record = RecordBox()
        let (stream, continuation) = AsyncStream<String>.makeStream()
        self.record = record
        arrivals = stream
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                record.value.withLock { $0.connections += 1 }
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        Handler { request in
                            let number = record.value.withLock { record in
                                record.requests.append(request)
                                return record.requests.count - 1
                            }
                            continuation.yield(request)
                            return reply(number, request)
                        })
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    deinit {
        channel.close(promise: nil)
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let reply: (String) -> Reply
        private var received = ""
        private var isEchoing = false

        init(_ reply: @escaping (String) -> Reply) {
            self.reply = reply
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            if isEchoing { return context.writeAndFlush(data, promise: nil) }
            received += String(buffer: unwrapInboundIn(data))
            guard let end = received.firstRange(of: "\r\n\r\n") else { return }
            let length =
                received[..<end.lowerBound].split(separator: "\r\n").compactMap { line in
                    line.lowercased().hasPrefix("content-length:") ? Int(line.split(separator: " ")[1]) : nil
                }.first ?? 0
            guard received[end.upperBound...].utf8.count >= length else { return }
            let request = received
            received = ""
            send(reply(request), context.channel)
        }

        private func send(_ reply: Reply, _ channel: any Channel) {
            switch reply {
            case .bytes(let bytes): channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
            case .bytesThenClose(let bytes):
                channel.writeAndFlush(ByteBuffer(bytes: bytes)).whenComplete { _ in channel.close(promise: nil) }
            case .flood(let first, let next):
                channel.writeAndFlush(ByteBuffer(bytes: first), promise: nil)
                Self.repeatWrite(ByteBuffer(bytes: next), channel)
            case .trickle(let bytes):
                let position = Atomic(0)
                let box = PositionBox(position)
                channel.eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: .milliseconds(5)) { task in
                    guard channel.isActive else { return task.cancel() }
                    let index = box.position.wrappingAdd(1, ordering: .relaxed).oldValue
                    channel.writeAndFlush(ByteBuffer(bytes: [bytes[index % bytes.count]]), promise: nil)
                }
            case .echo(let bytes):
                isEchoing = true
                channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
            case .silence: break
            case .hangUp: channel.close(promise: nil)
            }
        }

        private final class PositionBox: Sendable {
            let position: Atomic<Int>
            init(_ position: consuming Atomic<Int>) { self.position = position }
        }

        private static func repeatWrite(_ bytes: ByteBuffer, _ channel: any Channel) {
            channel.writeAndFlush(bytes).whenSuccess { repeatWrite(bytes, channel) }
        }
    }
}
