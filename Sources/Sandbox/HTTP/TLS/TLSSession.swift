import CTLS
import NIOCore

/// The server side of one TLS connection, without I/O: bytes in, bytes out.
final class TLSSession {
    private let pointer: OpaquePointer
    // Keeps the context alive that the session was created from.
    private let identity: TLSIdentity

    /// The state of the connection after reading.
    enum End {
        case open, closed, failed
    }

    /// Creates a session; `nil` if OpenSSL fails.
    init?(_ identity: TLSIdentity, demandsCertificate: Bool) {
        guard let pointer = ctls_session_new(identity.pointer, demandsCertificate) else { return nil }
        self.pointer = pointer
        self.identity = identity
    }

    deinit { ctls_session_free(pointer) }

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
