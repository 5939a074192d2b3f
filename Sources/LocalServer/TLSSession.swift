internal import CLibraries
internal import Glibc
package import NIOCore

/// The reason that there is no certificate.
package enum TLSFailure: Error, Equatable {
    /// OpenSSL cannot be used. `isMissing`: it is not installed, or too old.
    case noLibrary(reason: String, isMissing: Bool)
    /// OpenSSL failed, for example because a name is not one.
    case notMade

    /// Throws if OpenSSL cannot be used.
    fileprivate static func check() throws(TLSFailure) {
        guard let failure = ctls_load()?.pointee else { return }
        throw .noLibrary(reason: String(cString: failure.reason), isMissing: failure.is_missing)
    }
}

/// The period in which a certificate is valid, in seconds from now.
package struct TLSValidity: Sendable {
    let from: Int
    let until: Int

    /// Creates a period.
    package init(from: Int, until: Int) { (self.from, self.until) = (from, until) }
}

/// A key and the certificate that a server presents.
package final class TLSIdentity: Sendable {
    fileprivate nonisolated(unsafe) let pointer: OpaquePointer
    /// The certificate in PEM.
    package let pem: String

    /// Creates a key and its self-signed certificate.
    ///
    /// - Parameter names: the subject's alternative names, as OpenSSL writes them: `DNS:host.example`, `IP:127.0.0.1`.
    package convenience init(commonName: String, names: String, valid: TLSValidity) throws(TLSFailure) {
        try TLSFailure.check()
        guard let pointer = ctls_identity_new(commonName, names, valid.from, valid.until) else { throw .notMade }
        try self.init(pointer)
    }

    fileprivate init(_ pointer: OpaquePointer) throws(TLSFailure) {
        guard let text = ctls_identity_copy_pem(pointer) else {
            ctls_identity_free(pointer)
            throw .notMade
        }
        defer { free(text) }
        self.pointer = pointer
        pem = String(cString: text)
    }

    deinit { ctls_identity_free(pointer) }
}

/// A certificate authority. Its key is in memory only.
package final class TLSAuthority: Sendable {
    private nonisolated(unsafe) let pointer: OpaquePointer
    private let valid: TLSValidity
    /// The certificate of the authority in PEM.
    package let pem: String

    /// Creates a key and its certificate.
    ///
    /// - Parameters:
    ///   - constraints: the hosts that its certificates may be for, as OpenSSL writes them (RFC 5280 section 4.2.1.10).
    ///   - valid: the validity of its certificates, too.
    package init(commonName: String, constraints: String, valid: TLSValidity) throws(TLSFailure) {
        try TLSFailure.check()
        guard let pointer = ctls_authority_new(commonName, constraints, valid.from, valid.until) else { throw .notMade }
        guard let text = ctls_authority_copy_pem(pointer) else {
            ctls_authority_free(pointer)
            throw .notMade
        }
        defer { free(text) }
        self.pointer = pointer
        self.valid = valid
        pem = String(cString: text)
    }

    deinit { ctls_authority_free(pointer) }

    /// Creates a key and a certificate for a host, for servers of HTTP/1.1.
    ///
    /// - Parameter names: the subject's alternative names, as OpenSSL writes them.
    package func identity(commonName: String, names: String) throws(TLSFailure) -> TLSIdentity {
        guard let identity = ctls_authority_issue(pointer, commonName, names, valid.from, valid.until) else { throw .notMade }
        return try TLSIdentity(identity)
    }
}

/// The server side of one TLS connection, without I/O: bytes in, bytes out.
package final class TLSSession {
    private let pointer: OpaquePointer
    // Keeps the context alive that the session was created from.
    private let identity: TLSIdentity

    /// The result of reading.
    enum End {
        case open, closed, failed
    }

    /// Creates a session; `nil` if OpenSSL fails.
    ///
    /// - Parameter demandsCertificate: whether the client must present a certificate. One of any issuer is accepted.
    package init?(_ identity: TLSIdentity, demandsCertificate: Bool = false) {
        guard let pointer = ctls_session_new(identity.pointer, demandsCertificate) else { return nil }
        self.pointer = pointer
        self.identity = identity
    }

    deinit { ctls_session_free(pointer) }

    /// The host that the client named (RFC 6066 section 3); `nil` if it named none, or has not yet.
    package var host: String? { ctls_session_host(pointer).map { String(cString: $0) } }

    /// Decrypts bytes from the network.
    func decrypt(_ bytes: ByteBuffer, allocator: ByteBufferAllocator) -> (plain: ByteBuffer, end: End) {
        var plain = allocator.buffer(capacity: bytes.readableBytes)
        let isFed = bytes.withUnsafeReadableBytes { raw in
            guard let start = raw.baseAddress else { return true }
            return ctls_session_feed(pointer, start, raw.count)
        }
        guard isFed else { return (plain, .failed) }
        while true {
            var end = CTLS_OPEN
            let count = plain.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.record) { raw in
                guard let start = raw.baseAddress else { return 0 }
                return ctls_session_read(pointer, start, raw.count, &end)
            }
            if count > 0 { continue }
            return (plain, end == CTLS_OPEN ? .open : end == CTLS_CLOSED ? .closed : .failed)
        }
    }

    /// Encrypts bytes to send; returns `false` if the handshake is incomplete or the connection is broken.
    func encrypt(_ bytes: ByteBuffer) -> Bool {
        bytes.withUnsafeReadableBytes { raw in
            guard let start = raw.baseAddress else { return true }
            return ctls_session_write(pointer, start, raw.count)
        }
    }

    /// Sends the closing alert.
    func finish() { ctls_session_finish(pointer) }

    /// Returns the bytes to send to the network.
    func outgoing(allocator: ByteBufferAllocator) -> ByteBuffer {
        var bytes = allocator.buffer(capacity: Self.record)
        while bytes.writeWithUnsafeMutableBytes(
            minimumWritableBytes: Self.record,
            { raw in
                guard let start = raw.baseAddress else { return 0 }
                return ctls_session_take(pointer, start, raw.count)
            }) > 0
        {}
        return bytes
    }

    /// The maximum size of a TLS record (RFC 8446 section 5.1).
    private static let record = 1 << 14
}

/// A channel handler that adds TLS to a port that also speaks plain http; the first byte of a connection selects between them.
package final class TLSTermination: ChannelDuplexHandler {
    package typealias InboundIn = ByteBuffer
    package typealias InboundOut = ByteBuffer
    package typealias OutboundIn = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    private enum Speech {
        case unknown, plain
        case tls(TLSSession)
    }

    /// The protocol that the client has begun to speak.
    package enum Client: Equatable, Sendable {
        case unknown, plain
        /// `host`: the host that it named; `nil` if it named none.
        case tls(host: String?)
    }

    private var speech = Speech.unknown
    private let begin: () -> TLSSession?
    private let encrypted: () -> Void

    /// Creates a handler.
    ///
    /// - Parameters:
    ///   - begin: returns the session for a client that speaks TLS; `nil` if the port speaks plain http only.
    ///   - encrypted: called when a session has begun.
    package init(begin: @escaping () -> TLSSession?, encrypted: @escaping () -> Void = {}) {
        self.begin = begin
        self.encrypted = encrypted
    }

    /// The protocol of the client. Read it on the event loop.
    package var client: Client {
        switch speech {
        case .unknown: .unknown
        case .plain: .plain
        case .tls(let session): .tls(host: session.host)
        }
    }

    /// The first byte of every handshake record (RFC 8446 section 5.1); no HTTP request begins with it.
    private static let handshake: UInt8 = 22

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
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

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .tls(let session) = speech else { return context.write(data, promise: promise) }
        guard session.encrypt(unwrapOutboundIn(data)) else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return context.close(promise: nil)
        }
        send(session, context, promise: promise)
    }

    package func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
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
