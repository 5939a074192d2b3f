import AuthModel

/// The root certificates that a server's certificate must lead to.
///
/// `SSL_CERT_FILE` replaces the system's bundle and `SSL_CERT_DIR` its directory, as in OpenSSL. A provider's `ca_file` is added to them:
/// libcurl can only replace its bundle, so the two are joined here.
struct CertificateRoots: Equatable, Sendable {
    /// PEM text that replaces the bundle; `nil` if the bundle is ``file``.
    var bundle: [UInt8]?
    /// The bundle's path; `nil` for libcurl's default.
    var file: String?
    /// A directory of hashed certificates, or several separated by colons; `nil` for libcurl's default.
    var directory: String?

    /// The paths where distributions keep the bundle.
    static let systemBundles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem", "/etc/pki/tls/cacert.pem",
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/cert.pem",
    ]

    /// Reads the root certificates.
    ///
    /// - Parameter allowed: PEM text of a certificate that is trusted as a root.
    init(caFile: String?, allowed: String? = nil, environment: [String: String]) throws(AuthFailure) {
        let named = environment["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
        directory = environment["SSL_CERT_DIR"].flatMap { $0.isEmpty ? nil : $0 }
        guard caFile != nil || allowed != nil else {
            if let named {
                _ = try Self.certificates(in: named, called: "SSL_CERT_FILE")
                file = named
            }
            return
        }
        var added: [UInt8] = []
        if let caFile { added = try Self.certificates(in: caFile, called: "ca_file") }
        if let allowed { added += [UInt8(ascii: "\n")] + Array(allowed.utf8) }
        let base: [UInt8]
        if let named {
            base = try Self.certificates(in: named, called: "SSL_CERT_FILE")
        } else {
            base = Self.systemBundles.lazy.compactMap { try? ConfiguredFile.contents(of: $0).get() }.first ?? []
        }
        bundle = base + [UInt8(ascii: "\n")] + added + [UInt8(ascii: "\n")]
    }

    private static func certificates(in path: String, called name: String) throws(AuthFailure) -> [UInt8] {
        switch ConfiguredFile.contents(of: path) {
        case .success(let bytes):
            guard bytes.firstRange(of: Array("-----BEGIN ".utf8)) != nil else {
                throw AuthFailure(
                    .configuration, UserMessage("tls.no_certificate_in_file", ["name": name, "path": path]),
                    hint: "hint.name_root_certificate_file")
            }
            return bytes
        case .failure(let reason):
            throw AuthFailure(
                .configuration, UserMessage("tls.cannot_read_certificates", ["name": name, "path": path, "reason": reason.message]),
                hint: "hint.name_root_certificate_file")
        }
    }
}
