package import AuthModel
import OAuth

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
