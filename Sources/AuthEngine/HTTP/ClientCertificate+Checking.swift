package import AuthModel
import OAuth

extension TransportPolicy.ClientCertificate {
    /// Checks the files before they are used in a connection, because a TLS library's error messages do not help the user.
    ///
    /// - Throws: `.configuration`, naming the file, its configuration key and what to do, if a file cannot be read or is not PEM, the
    ///   certificate or its key is missing, or the key is encrypted.
    package func check() throws(AuthFailure) {
        let certificate = File(
            path: certificateFile, key: "client_certificate_file", hint: "set it to a PEM file with the client's certificate")
        let contents = try certificate.contents()
        guard Self.beginnings.contains(where: { contents.firstRange(of: Array($0.utf8)) != nil }) else {
            throw AuthFailure(.configuration, "\(certificate.name) contains no certificate", hint: certificate.hint)
        }
        guard let keyFile else {
            return try certificate.checkKey(
                in: contents, orElse: "add its private key to the file, or set client_key_file to the PEM file with the key")
        }
        let key = File(path: keyFile, key: "client_key_file", hint: "name a PEM file with the client's private key")
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
        /// What the user should do.
        let hint: String

        var name: String { "\(key) \(path)" }

        func contents() throws(AuthFailure) -> [UInt8] {
            switch ConfiguredFile.contents(of: path) {
            case .failure(let reason):
                throw AuthFailure(.configuration, "cannot read \(name): \(reason.text)", hint: hint)
            case .success(let bytes) where bytes.firstRange(of: Array("-----BEGIN ".utf8)) != nil:
                return bytes
            case .success(let bytes):
                if Self.isPKCS12(bytes) {
                    throw AuthFailure(
                        .configuration, "\(name) is a PKCS #12 file; PEM is required",
                        hint: "convert it with: openssl pkcs12 -in \(path) -nodes -out client.pem, and use that file")
                }
                throw AuthFailure(.configuration, "\(name) is not a PEM file", hint: hint)
            }
        }

        func checkKey(in contents: [UInt8], orElse hint: String) throws(AuthFailure) {
            guard let block = PEMBlock.privateKey(in: contents) else {
                throw AuthFailure(.configuration, "\(name) contains no private key", hint: hint)
            }
            guard !block.isEncrypted else {
                throw AuthFailure(
                    .configuration, "the private key in \(name) is encrypted",
                    hint:
                        "decrypt it with: openssl pkey -in \(path) -out client.key (readable only by you), and set client_key_file to that file"
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
