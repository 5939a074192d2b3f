package import AuthModel
package import OAuth

/// Reads a client's private key from a PEM file that only its owner can read.
package enum ClientKeyFile {
    private static let hint: UserMessage = "hint.name_client_key_file"

    /// Reads the key.
    ///
    /// - Throws: `.configuration`, naming the file, if it cannot be read, others can read it, or it holds no supported key.
    package static func read(_ path: String, keyID: String?) throws(AuthFailure) -> SigningKey {
        let bytes = try PrivateFileReader.contents(of: path, called: "client_key_file", hint: hint)
        do throws(OAuthError) {
            return try SigningKey(pem: bytes, keyID: keyID)
        } catch {
            throw AuthFailure(
                .configuration, UserMessage("key.client_key_file_error", ["path": path, "detail": error.failure.message]), hint: hint)
        }
    }

    /// Checks that the file can be read and that only its owner can read it.
    ///
    /// - Throws: `.configuration`, naming the file.
    package static func check(_ path: String) throws(AuthFailure) {
        _ = try PrivateFileReader.contents(of: path, called: "client_key_file", hint: hint)
    }
}
