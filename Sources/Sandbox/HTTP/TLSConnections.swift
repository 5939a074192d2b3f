import AuthModel
import HummingbirdCore
import LocalServer
import Logging
import NIOCore
import Synchronization

/// The certificates of the sandbox.
extension TLSIdentity {
    /// Creates a key and a self-signed certificate.
    ///
    /// - Throws: ``AuthFailure`` of kind `configuration` if OpenSSL is missing.
    convenience init(for use: TLSUse) throws(AuthFailure) {
        let (from, until) = use == .expired ? (-3 * Self.day, -2 * Self.day) : (-Self.day, 365 * Self.day)
        try self.init(names: use == .wrongHost ? "DNS:elsewhere.example" : "IP:127.0.0.1", TLSValidity(from: from, until: until))
    }

    /// Creates a key and a self-signed certificate for these hosts, valid for a day.
    ///
    /// - Throws: ``AuthFailure`` of kind `configuration` if OpenSSL is missing.
    convenience init(hosts: [String]) throws(AuthFailure) {
        try self.init(names: hosts.map { "DNS:\($0)" }.joined(separator: ","), TLSValidity(from: -Self.day, until: Self.day))
    }

    private static let day = 24 * 60 * 60

    private convenience init(names: String, _ valid: TLSValidity) throws(AuthFailure) {
        do throws(TLSFailure) {
            try self.init(commonName: "yett sandbox", names: names, valid: valid)
        } catch {
            switch error {
            case .noLibrary(let reason, let isMissing):
                throw AuthFailure(
                    .configuration, text: "the sandbox cannot speak TLS: \(reason)",
                    hint: isMissing ? "install the distribution's OpenSSL 3" : "free some memory, or reinstall the distribution's OpenSSL 3"
                )
            case .notMade: throw AuthFailure(.bug, text: "OpenSSL made no certificate")
            }
        }
    }
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
