import AuthModel
import CLibraries
import Glibc
import NIOCore
import Synchronization

/// A key and its self-signed certificate.
final class TLSIdentity: Sendable {
    nonisolated(unsafe) let pointer: OpaquePointer
    /// The certificate in PEM.
    let pem: String

    /// Creates a key and a certificate.
    ///
    /// - Throws: ``AuthFailure`` of kind `configuration` if OpenSSL is missing.
    convenience init(for use: TLSUse) throws(AuthFailure) {
        let day = 24 * 60 * 60
        let (from, until) = use == .expired ? (-3 * day, -2 * day) : (-day, 365 * day)
        try self.init(names: use == .wrongHost ? "DNS:elsewhere.example" : "IP:127.0.0.1", from: from, until: until)
    }

    /// Creates a key and a certificate for these hosts, valid for a day.
    ///
    /// - Throws: ``AuthFailure`` of kind `configuration` if OpenSSL is missing.
    convenience init(hosts: [String]) throws(AuthFailure) {
        let day = 24 * 60 * 60
        try self.init(names: hosts.map { "DNS:\($0)" }.joined(separator: ","), from: -day, until: day)
    }

    /// - Parameters:
    ///   - names: the subject's alternative names, as OpenSSL writes them.
    ///   - from: when the certificate begins to be valid, in seconds from now.
    ///   - until: when it ends, in seconds from now.
    private init(names: String, from: Int, until: Int) throws(AuthFailure) {
        if let failure = ctls_load()?.pointee {
            throw AuthFailure(
                .configuration, text: "the sandbox cannot speak TLS: \(String(cString: failure.reason))",
                hint: failure.is_missing
                    ? "install the distribution's OpenSSL 3" : "free some memory, or reinstall the distribution's OpenSSL 3")
        }
        guard let pointer = ctls_identity_new("yett sandbox", names, from, until) else {
            throw AuthFailure(.bug, text: "OpenSSL made no certificate")
        }
        guard let text = ctls_identity_copy_pem(pointer) else {
            ctls_identity_free(pointer)
            throw AuthFailure(.bug, text: "OpenSSL wrote no certificate")
        }
        defer { free(text) }
        self.pointer = pointer
        pem = String(cString: text)
    }

    deinit { ctls_identity_free(pointer) }
}

/// The certificates of one server, each created on first use and then kept.
final class TLSIdentities: Sendable {
    private let made: Mutex<[TLSUse: TLSIdentity]>

    init(selfSigned: TLSIdentity? = nil) { made = Mutex(selfSigned.map { [.selfSigned: $0] } ?? [:]) }

    func identity(for use: TLSUse) throws(AuthFailure) -> TLSIdentity {
        // Passing the error as a value keeps its type, which `withLock` alone would widen.
        let result: Result<TLSIdentity, AuthFailure> = made.withLock { made in
            Result { () throws(AuthFailure) in
                if let known = made[use.certificate] { return known }
                let new = try TLSIdentity(for: use.certificate)
                made[use.certificate] = new
                return new
            }
        }
        return try result.get()
    }
}

/// The server side of one TLS connection, without I/O: bytes in, bytes out.
final class TLSSession {
    private let pointer: OpaquePointer
    // Keeps the context alive that the session was created from.
    private let identity: TLSIdentity

    /// The result of reading.
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
