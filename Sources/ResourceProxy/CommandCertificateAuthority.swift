package import AuthModel
internal import LocalServer
internal import Synchronization

/// The certificate authority of one run of a command, which opens the TLS of the hosts whose requests get a credential.
///
/// Its key is in the memory of this process only. Its certificate is constrained to the hosts and the names below them (RFC 5280 section
/// 4.2.1.10), so that a client that trusts it trusts nothing else through it, and valid for a day. It issues certificates of the hosts
/// only.
package final class CommandCertificateAuthority: Sendable {
    private let authority: TLSAuthority
    private let identities = Mutex<[String: TLSIdentity]>([:])

    private static let hour = 3600
    private static let validity = TLSValidity(from: -hour, until: 24 * hour)

    /// Creates an authority for these hosts.
    ///
    /// - Parameter hosts: names, or addresses without brackets, as in ``AuthModel/Origin/host``.
    /// - Throws: ``AuthModel/AuthFailure`` of kind `configuration` if OpenSSL cannot be used.
    package init(hosts: [String]) throws(AuthFailure) {
        do throws(TLSFailure) {
            authority = try TLSAuthority(
                commonName: "yett exec, for one command", constraints: Self.constraints(hosts), valid: Self.validity)
        } catch {
            throw error.failure
        }
    }

    /// The certificate in PEM, which clients must trust.
    package var pem: String { authority.pem }

    /// Returns the certificate of a host, made on first use.
    func identity(of host: String) throws(AuthFailure) -> TLSIdentity {
        let result: Result<TLSIdentity, TLSFailure> = identities.withLock { known in
            Result { () throws(TLSFailure) in
                if let identity = known[host] { return identity }
                let new = try authority.identity(commonName: "yett exec", names: Self.name(host))
                known[host] = new
                return new
            }
        }
        do throws(TLSFailure) { return try result.get() } catch { throw error.failure }
    }

    /// Returns a host as OpenSSL writes an alternative name.
    private static func name(_ host: String) -> String { (isAddress(host) ? "IP:" : "DNS:") + host }

    /// Returns the hosts as constraints. A name permits those below it, too: RFC 5280 has no narrower form. A kind of name without a
    /// constraint would be free, so one that has no host gets a constraint that nothing meets.
    private static func constraints(_ hosts: [String]) -> String {
        var parts = hosts.map { host in
            guard isAddress(host) else { return "permitted;DNS:\(host)" }
            return "permitted;IP:\(host)/\(host.contains(":") ? "FFFF:FFFF:FFFF:FFFF:FFFF:FFFF:FFFF:FFFF" : "255.255.255.255")"
        }
        if hosts.allSatisfy(isAddress) { parts.append("permitted;DNS:yett.invalid") }
        if !hosts.contains(where: isAddress) { parts += ["excluded;IP:0.0.0.0/0.0.0.0", "excluded;IP:0:0:0:0:0:0:0:0/0:0:0:0:0:0:0:0"] }
        return (["critical"] + parts).joined(separator: ",")
    }

    private static func isAddress(_ host: String) -> Bool { Origin(scheme: .https, host: host, port: 443).isAddress }
}

extension TLSFailure {
    fileprivate var failure: AuthFailure {
        switch self {
        case .noLibrary(let reason, let isMissing):
            AuthFailure(
                .configuration, UserMessage("proxy.no_tls_library", ["reason": reason]),
                hint: isMissing ? "hint.install_openssl" : "hint.free_memory_or_reinstall_openssl")
        case .notMade: AuthFailure(.bug, "proxy.no_certificate")
        }
    }
}
