import AuthModel
import CTLS
import Glibc
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
