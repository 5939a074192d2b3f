internal import AuthModel
internal import LocalServer
internal import NIOCore
internal import OAuth

/// The first request of a client to a proxy for HTTPS (RFC 9110 section 9.3.6).
struct ConnectRequest: Equatable, Sendable {
    /// The target that the client names.
    enum Target: Equatable, Sendable {
        /// A connection to a host and port.
        case connection(Origin)
        /// A request in plain HTTP; `host` is its host.
        case plain(host: String)
    }

    let target: Target
    /// The value of `Proxy-Authorization`; `nil` if there is none.
    let authorization: String?

    /// The reason why there is no request.
    enum Failure: Error, Equatable {
        case invalid
        /// The header is longer than ``ConnectRequest/limit``.
        case tooLong
        /// The connection ended, or its time was over.
        case ended
    }

    /// The maximum size of the header, in bytes.
    static let limit = 16 << 10
    /// The maximum number of header fields.
    private static let fieldLimit = 100

    /// Parses a header up to and including the empty line. Repairs nothing: what another program could read differently is refused.
    init(header: String) throws(Failure) {
        var lines = header.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        // After the last line feed.
        guard lines.popLast()?.isEmpty == true, lines.allSatisfy({ $0.last == UInt8(ascii: "\r") }) else { throw .invalid }
        let texts = lines.map { String($0.dropLast()) ?? "" }
        guard texts.last == "", texts.count <= Self.fieldLimit + 2, let first = texts.first,
            texts.allSatisfy({ $0.utf8.allSatisfy { $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F } })
        else { throw .invalid }
        var authorization: String?
        for line in texts.dropFirst().dropLast() {
            guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else { throw .invalid }
            let name = String(line[..<colon]).asciiLowercased()
            guard !name.isEmpty, !name.utf8.contains(where: { $0 == 0x20 || $0 == 0x09 }) else { throw .invalid }
            switch name {
            case "proxy-authorization":
                guard authorization == nil else { throw .invalid }
                authorization = String(line[line.utf8.index(after: colon)...].drop { $0 == " " || $0 == "\t" })
            // A request for a connection has no content, so a body would be the first bytes of the connection to one reader, and not to
            // another.
            case "content-length", "transfer-encoding": if first.hasPrefix("CONNECT ") { throw .invalid }
            default: break
            }
        }
        self.authorization = authorization
        let words = first.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard words.count == 3, ["HTTP/1.1", "HTTP/1.0"].contains(words[2]) else { throw .invalid }
        if words[0] == "CONNECT" {
            // The port is part of the form (RFC 9112 section 3.2.3).
            guard let last = words[1].utf8.last, (0x30...0x39).contains(last), words[1].contains(":"),
                !words[1].utf8.contains(where: { "/?#".utf8.contains($0) }), let url = WebURL("https://" + words[1])
            else { throw .invalid }
            target = .connection(url.origin)
        } else {
            guard let url = WebURL(words[1]), url.origin.scheme == .http else { throw .invalid }
            target = .plain(host: url.origin.host)
        }
    }

    /// Returns whether the client knows the secret, as the password of Basic authentication (RFC 7617).
    func knows(_ secret: Secret) -> Bool {
        guard let words = authorization?.split(separator: " "), words.count == 2, words[0].asciiLowercased() == "basic",
            let bytes = Base64.decode(String(words[1])), let colon = bytes.firstIndex(of: UInt8(ascii: ":"))
        else { return false }
        return Secret(bytes: bytes[(colon + 1)...]) == secret
    }
}

/// Reads the first request of a connection, and keeps what follows for the handler that takes its place.
final class ConnectReader: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// The request.
    let request: EventLoopFuture<ConnectRequest>
    private var promise: EventLoopPromise<ConnectRequest>?
    /// The bytes that are kept.
    private(set) var bytes = ByteBuffer()
    private var isDiscarding = false
    private let limit: TimeAmount
    private let deadline: ConnectionDeadline

    /// Creates the reader of a new connection.
    ///
    /// - Parameter limit: the time in which the header must be complete.
    init(_ limit: TimeAmount, _ channel: any Channel) {
        let promise = channel.eventLoop.makePromise(of: ConnectRequest.self)
        (self.promise, request) = (promise, promise.futureResult)
        self.limit = limit
        deadline = ConnectionDeadline(channel)
    }

    func handlerAdded(context: ChannelHandlerContext) { deadline.set(limit) }

    /// From now on keeps nothing of what arrives, because the request is refused. Call it on the event loop.
    func discard() {
        isDiscarding = true
        bytes = ByteBuffer()
        deadline.cancel()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDiscarding else { return }
        var next = unwrapInboundIn(data)
        bytes.writeBuffer(&next)
        guard promise != nil else { return }
        let view = bytes.readableBytesView
        guard let end = view.firstRange(of: [13, 10, 13, 10])?.upperBound else {
            if view.count > ConnectRequest.limit { finish(.failure(.tooLong), context) }
            return
        }
        let size = view.distance(from: view.startIndex, to: end)
        guard size <= ConnectRequest.limit, let header = bytes.readString(length: size) else {
            return finish(.failure(.tooLong), context)
        }
        finish(Result { () throws(ConnectRequest.Failure) in try ConnectRequest(header: header) }, context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        finish(.failure(.ended), context)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func handlerRemoved(context: ChannelHandlerContext) { finish(.failure(.ended), context) }

    func removeHandler(context: ChannelHandlerContext, removalToken: ChannelHandlerContext.RemovalToken) {
        if bytes.readableBytes > 0 {
            context.fireChannelRead(wrapInboundOut(bytes))
            context.fireChannelReadComplete()
        }
        context.leavePipeline(removalToken: removalToken)
    }

    private func finish(_ result: Result<ConnectRequest, ConnectRequest.Failure>, _ context: ChannelHandlerContext) {
        guard let promise else { return }
        self.promise = nil
        deadline.cancel()
        // The client waits for the answer. What it sends before is not read into memory.
        context.channel.setOption(.autoRead, value: false).whenComplete { _ in }
        switch result {
        case .success(let request): promise.succeed(request)
        case .failure(let failure): promise.fail(failure)
        }
    }
}

extension TLSTermination.Client {
    /// Returns the answer to a request on an opened connection that is not passed on; `nil` if it is passed on.
    func refusal(of origin: Origin) -> (status: Int, text: String)? {
        switch self {
        case .unknown, .plain: (400, "plain HTTP to \(origin.authority) is refused; use https")
        case .tls(let host?) where host.asciiLowercased() != origin.host:
            (421, "TLS names another host than the connection, which is to \(origin.authority)")
        case .tls: nil
        }
    }
}
