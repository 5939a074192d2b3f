internal import AuthModel
internal import Glibc
internal import OAuth

/// A client's private key in a PEM file that only its owner can read.
enum ClientKeyFile {
    /// - Throws: `.configuration`, naming the file, when it cannot be read, can be read by others, or holds no key that is understood.
    static func read(_ path: String, keyID: String?) throws(AuthFailure) -> SigningKey {
        let bytes = try contents(path)
        do {
            return try SigningKey(pem: bytes, keyID: keyID)
        } catch {
            throw AuthFailure(
                .configuration, "client_key_file \(path): \(error.failure.summary)", hint: "name a PEM file with the client's private key")
        }
    }

    /// Refuses a file that others can read, before anything is done with it.
    static func check(_ path: String) throws(AuthFailure) { _ = try contents(path) }

    private static func contents(_ path: String) throws(AuthFailure) -> Secret {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            throw AuthFailure(
                .configuration, "client_key_file \(path) cannot be read: \(String(cString: strerror(errno)).lowercased())",
                hint: "name a PEM file with the client's private key")
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 == 0 else {
            throw AuthFailure(.configuration, "client_key_file \(path) can be read by others", hint: "run: chmod 600 \(path)")
        }
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        defer { bytes.withUnsafeMutableBytes { if let base = $0.baseAddress { explicit_bzero(base, $0.count) } } }
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes { buffer in
                buffer.baseAddress.map { Glibc.read(file, $0 + count, buffer.count - count) } ?? 0
            }
            if got > 0 { count += got } else if got == 0 || errno != EINTR { break }
        }
        return Secret(bytes: bytes.prefix(count))
    }
}
