import CTLS
import NIOCore

/// The server's end of one encrypted connection, without the connection: bytes in, bytes out.
final class TLSSession {
    private let pointer: OpaquePointer
    // The context that the session was made from goes with it.
    private let identity: TLSIdentity

    /// How reading ended.
    enum End {
        case open, closed, failed
    }

    /// `nil` where OpenSSL will not.
    init?(_ identity: TLSIdentity, demandsCertificate: Bool) {
        guard let pointer = ctls_session_new(identity.pointer, demandsCertificate) else { return nil }
        self.pointer = pointer
        self.identity = identity
    }

    deinit { ctls_session_free(pointer) }

    /// Takes what came from the network, and gives what was in it.
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

    /// Takes what is to be said; `false` where the connection is not that far, or broken.
    func encrypt(_ bytes: ByteBuffer) -> Bool {
        bytes.withUnsafeReadableBytes { raw in
            guard let start = raw.baseAddress else { return true }
            return ctls_session_write(pointer, start, raw.count)
        }
    }

    /// Says goodbye.
    func finish() { ctls_session_finish(pointer) }

    /// What is to go to the network.
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

    /// The largest piece that TLS sends at once (RFC 8446 section 5.1).
    private static let record = 1 << 14
}
