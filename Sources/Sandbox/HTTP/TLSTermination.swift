import AuthModel
import HummingbirdCore
import Logging
import NIOCore
import Synchronization

/// A channel handler that adds TLS to a port that also speaks plain http; the first byte of a connection selects between them.
final class TLSTermination: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Speech {
        case unknown, plain
        case tls(TLSSession)
    }

    private var speech = Speech.unknown
    private let begin: () -> TLSSession?
    private let encrypted: () -> Void

    /// Creates a handler.
    ///
    /// - Parameters:
    ///   - begin: returns the session for a client that speaks TLS; `nil` if the port speaks plain http only.
    ///   - encrypted: called when a session has begun.
    init(begin: @escaping () -> TLSSession?, encrypted: @escaping () -> Void) {
        self.begin = begin
        self.encrypted = encrypted
    }

    /// The first byte of every handshake record (RFC 8446 section 5.1); no HTTP request begins with it.
    private static let handshake: UInt8 = 22

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        if case .unknown = speech, let first = bytes.readableBytesView.first {
            speech = .plain
            if first == Self.handshake, let session = begin() {
                speech = .tls(session)
                encrypted()
            }
        }
        guard case .tls(let session) = speech else { return context.fireChannelRead(data) }
        let (plain, end) = session.decrypt(bytes, allocator: context.channel.allocator)
        if plain.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(plain)) }
        send(session, context, promise: nil)
        context.flush()
        if end != .open { context.close(promise: nil) }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .tls(let session) = speech else { return context.write(data, promise: promise) }
        guard session.encrypt(unwrapOutboundIn(data)) else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return context.close(promise: nil)
        }
        send(session, context, promise: promise)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if case .tls(let session) = speech, mode != .input {
            session.finish()
            send(session, context, promise: nil)
            context.flush()
        }
        context.close(mode: mode, promise: promise)
    }

    private func send(_ session: TLSSession, _ context: ChannelHandlerContext, promise: EventLoopPromise<Void>?) {
        let bytes = session.outgoing(allocator: context.channel.allocator)
        guard bytes.readableBytes > 0 || promise != nil else { return }
        context.write(wrapOutboundOut(bytes), promise: promise)
    }
}

/// The TLS behaviour of a port, and the set of its connections that use TLS.
final class TLSConnections: Sendable {
    private let use: @Sendable () -> TLSUse
    private let identities: TLSIdentities
    private let encrypted = Mutex<Set<ObjectIdentifier>>([])

    /// Creates the state of a port.
    ///
    /// - Parameter use: called for every connection.
    init(use: @escaping @Sendable () -> TLSUse) {
        self.use = use
        identities = TLSIdentities()
    }

    /// Creates the state of a port that always presents this certificate.
    init(presenting identity: TLSIdentity) {
        use = { .selfSigned }
        identities = TLSIdentities(selfSigned: identity)
    }

    /// Returns the certificate that clients see now, in PEM; `nil` if the port speaks plain http only.
    ///
    /// - Throws: ``AuthFailure`` of kind `configuration` if OpenSSL is missing.
    func certificate() throws(AuthFailure) -> String? {
        let use = use()
        return use == .off ? nil : try identities.identity(for: use).pem
    }

    /// Returns a session for a client that speaks TLS; `nil` if the port speaks plain http only.
    func begin() -> TLSSession? {
        let use = use()
        guard use != .off, let identity = try? identities.identity(for: use) else { return nil }
        return TLSSession(identity, demandsCertificate: use.demandsCertificate)
    }

    func note(_ channel: ObjectIdentifier) { encrypted.withLock { _ = $0.insert(channel) } }
    func forget(_ channel: ObjectIdentifier) { encrypted.withLock { _ = $0.remove(channel) } }
    func isEncrypted(_ channel: any Channel) -> Bool { encrypted.withLock { $0.contains(ObjectIdentifier(channel)) } }
}

/// A connection to the HTTP server, with TLS if the client wants it and the port supports it.
struct TLSChannel: ServerChildChannel {
    let base: HTTP1Channel
    let connections: TLSConnections

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        channel.eventLoop.makeCompletedFuture {
            let (connections, id) = (connections, ObjectIdentifier(channel))
            try channel.pipeline.syncOperations.addHandler(
                TLSTermination(begin: connections.begin, encrypted: { connections.note(id) }))
            channel.closeFuture.whenComplete { _ in connections.forget(id) }
        }.flatMap { base.setup(channel: channel, logger: logger) }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}

/// The answer of a port to clients that speak TLS. It always accepts plain http as well.
public enum TLSUse: String, Sendable, CaseIterable {
    /// Not at all: the port speaks plain http only.
    case off
    /// With a self-signed certificate for 127.0.0.1.
    case selfSigned = "self_signed"
    /// With another self-signed certificate, as an attacker between client and server would have.
    case otherSelfSigned = "other_self_signed"
    /// With a certificate for another host.
    case wrongHost = "wrong_host"
    /// With an expired certificate.
    case expired
    /// Like `selfSigned`, but only for clients that present a certificate. Any issuer is accepted.
    case clientCertificate = "client_certificate"

    var demandsCertificate: Bool { self == .clientCertificate }

    /// The certificate to present.
    var certificate: TLSUse { self == .clientCertificate ? .selfSigned : self }
}
