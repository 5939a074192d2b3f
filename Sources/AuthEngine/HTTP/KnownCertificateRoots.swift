import AuthModel
import OperatingSystem

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
