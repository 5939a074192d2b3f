package import AuthModel
import OAuth
import OperatingSystem

/// The root certificates that a server's certificate must lead to.
///
/// `SSL_CERT_FILE` replaces the system's bundle and `SSL_CERT_DIR` its directory, as in OpenSSL. A provider's `ca_file` is added to them:
/// libcurl can only replace its bundle, so the two are joined here.
package struct CertificateRoots: Equatable, Sendable {
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

    /// Returns the certificates that a program trusts in this environment, in PEM: the system's bundle, or the file that replaces it.
    ///
    /// - Parameters:
    ///   - file: the file that a variable of this program names. One that has no certificates is left out, as such programs do.
    ///   - added: a file with further certificates, under the same rule.
    package static func bundle(
        _ environment: [String: String], replacedBy file: String?, adding added: String?
    ) throws(AuthFailure) -> [UInt8] {
        let bytes: [UInt8]
        if let file, file != environment["SSL_CERT_FILE"], let own = try? certificates(in: file, called: "") {
            bytes = own
        } else if let named = environment["SSL_CERT_FILE"], !named.isEmpty {
            bytes = try certificates(in: named, called: "SSL_CERT_FILE")
        } else {
            bytes = systemBundles.lazy.compactMap { try? ConfiguredFile.contents(of: $0).get() }.first ?? []
        }
        let newline = [UInt8(ascii: "\n")]
        return bytes + newline + (added.flatMap { try? certificates(in: $0, called: "") + newline } ?? [])
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

/// The root certificates that were read last. A bundle has some 200 kB, too much to read again for each request.
struct KnownCertificateRoots: Sendable {
    private struct Key: Equatable {
        var caFile: String?
        var allowed: String?
        /// The states of the files that the roots were read from.
        var files: [[Int]]
    }

    private var known: (key: Key, roots: CertificateRoots)?

    /// Returns the root certificates for these settings, read again if a file has changed.
    mutating func roots(
        caFile: String?, allowed: String?, environment: [String: String]
    ) throws(AuthFailure) -> CertificateRoots {
        // The system's bundle is read only to be joined with others.
        let bundles = caFile == nil && allowed == nil ? [] : CertificateRoots.systemBundles
        let paths = [environment["SSL_CERT_FILE"], caFile].compactMap { $0 } + bundles
        let key = Key(caFile: caFile, allowed: allowed, files: paths.map(FileRevision.numbers))
        if let known, known.key == key { return known.roots }
        let roots = try CertificateRoots(caFile: caFile, allowed: allowed, environment: environment)
        known = (key, roots)
        return roots
    }
}

extension TransportPolicy.ClientCertificate {
    /// Checks the files before they are used in a connection, because a TLS library's error messages do not help the user.
    ///
    /// - Throws: `.configuration`, naming the file, its configuration key and what to do, if a file cannot be read or is not PEM, the
    ///   certificate or its key is missing, or the key is encrypted.
    package func check() throws(AuthFailure) {
        let certificate = File(
            path: certificateFile, key: "client_certificate_file", hint: "hint.name_client_certificate_file")
        let contents = try certificate.contents()
        guard Self.beginnings.contains(where: { contents.firstRange(of: Array($0.utf8)) != nil }) else {
            throw AuthFailure(.configuration, UserMessage("tls.no_certificate", ["name": certificate.name]), hint: certificate.hint)
        }
        guard let keyFile else {
            return try certificate.checkKey(
                in: contents, orElse: "hint.add_private_key")
        }
        let key = File(path: keyFile, key: "client_key_file", hint: "hint.name_client_key_file")
        try key.checkKey(in: try key.contents(), orElse: key.hint)
    }

    /// The first lines of a certificate in files that OpenSSL reads.
    private static let beginnings = [
        "-----BEGIN CERTIFICATE-----", "-----BEGIN X509 CERTIFICATE-----", "-----BEGIN TRUSTED CERTIFICATE-----",
    ]

    private struct File {
        let path: String
        /// Its configuration key.
        let key: String
        /// The next step for the user.
        let hint: UserMessage

        var name: String { "\(key) \(path)" }

        func contents() throws(AuthFailure) -> [UInt8] {
            switch ConfiguredFile.contents(of: path) {
            case .failure(let reason):
                throw AuthFailure(
                    .configuration, UserMessage("tls.cannot_read_file", ["name": name, "reason": reason.message]), hint: hint)
            case .success(let bytes) where bytes.firstRange(of: Array("-----BEGIN ".utf8)) != nil:
                return bytes
            case .success(let bytes):
                if Self.isPKCS12(bytes) {
                    throw AuthFailure(
                        .configuration, UserMessage("tls.file_is_pkcs12", ["name": name]),
                        hint: UserMessage("hint.convert_pkcs12", ["path": path]))
                }
                throw AuthFailure(.configuration, UserMessage("tls.file_not_pem", ["name": name]), hint: hint)
            }
        }

        func checkKey(in contents: [UInt8], orElse hint: UserMessage) throws(AuthFailure) {
            guard let block = PEMBlock.privateKey(in: contents) else {
                throw AuthFailure(.configuration, UserMessage("tls.no_private_key", ["name": name]), hint: hint)
            }
            guard !block.isEncrypted else {
                throw AuthFailure(
                    .configuration, UserMessage("tls.private_key_encrypted", ["name": name]),
                    hint:
                        UserMessage("hint.decrypt_private_key", ["path": path])
                )
            }
        }

        /// Returns whether the file is PKCS #12: a sequence that begins with the version 3 (RFC 7292 section 4). In a certificate or key,
        /// another sequence or another number comes first.
        private static func isPKCS12(_ bytes: [UInt8]) -> Bool {
            guard bytes.count > 2, bytes[0] == 0x30 else { return false }
            let lengthBytes = bytes[1] & 0x80 == 0 ? 0 : Int(bytes[1] & 0x7f)
            return bytes.dropFirst(2 + lengthBytes).starts(with: [0x02, 0x01, 0x03])
        }
    }
}
