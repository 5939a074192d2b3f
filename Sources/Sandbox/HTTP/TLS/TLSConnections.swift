import AuthModel
import NIOCore
import Synchronization

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
