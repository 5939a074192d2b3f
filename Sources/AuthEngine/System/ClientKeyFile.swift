internal import AuthModel
internal import OAuth

/// A client's private key in a PEM file that only its owner can read.
enum ClientKeyFile {
    private static let hint = "name a PEM file with the client's private key"

    /// - Throws: `.configuration`, naming the file, when it cannot be read, can be read by others, or holds no key that is understood.
    static func read(_ path: String, keyID: String?) throws(AuthFailure) -> SigningKey {
        let bytes = try OwnersFile.contents(of: path, called: "client_key_file", hint: hint)
        do {
            return try SigningKey(pem: bytes, keyID: keyID)
        } catch {
            throw AuthFailure(.configuration, "client_key_file \(path): \(error.failure.summary)", hint: hint)
        }
    }

    /// Refuses a file that others can read, before anything is done with it.
    static func check(_ path: String) throws(AuthFailure) {
        _ = try OwnersFile.contents(of: path, called: "client_key_file", hint: hint)
    }
}
