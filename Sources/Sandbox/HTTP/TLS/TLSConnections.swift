import AuthModel
import NIOCore
import Synchronization

/// What a port says to clients that speak TLS, and which of its connections do.
final class TLSConnections: Sendable {
    private let use: @Sendable () -> TLSUse
    private let identities = TLSIdentities()
    private let encrypted = Mutex<Set<ObjectIdentifier>>([])

    /// - Parameter use: asked at every connection.
    init(use: @escaping @Sendable () -> TLSUse) { self.use = use }

    /// The certificate that clients are shown now, in PEM; `nil` where the port speaks plain http alone.
    ///
    /// - Throws: ``AuthFailure`` of kind `configuration` where there is no OpenSSL.
    func certificate() throws(AuthFailure) -> String? {
        let use = use()
        return use == .off ? nil : try identities.identity(for: use).pem
    }

    /// A session for a client that speaks TLS; `nil` where the port speaks plain http alone.
    func begin() -> TLSSession? {
        let use = use()
        guard use != .off, let identity = try? identities.identity(for: use) else { return nil }
        return TLSSession(identity, demandsCertificate: use.demandsCertificate)
    }

    func note(_ channel: ObjectIdentifier) { encrypted.withLock { _ = $0.insert(channel) } }
    func forget(_ channel: ObjectIdentifier) { encrypted.withLock { _ = $0.remove(channel) } }
    func isEncrypted(_ channel: any Channel) -> Bool { encrypted.withLock { $0.contains(ObjectIdentifier(channel)) } }
}
