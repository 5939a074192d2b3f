internal import AuthModel
internal import Glibc
internal import System

/// Reads a small file that only its owner can read.
enum OwnersFile {
    private static let limit = 64 << 10

    /// Returns the file's contents.
    ///
    /// - Parameters:
    ///   - name: the file's name in messages, for example its configuration key.
    ///   - hint: what the user should do if the file cannot be used.
    /// - Throws: `.configuration`, naming the file, if it cannot be read, is not a regular file, is too large, or can be read by others.
    static func contents(of path: String, called name: String, hint: String) throws(AuthFailure) -> Secret {
        // Do not block: opening a named pipe without a writer would wait forever.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            throw AuthFailure(
                .configuration, "\(name) \(path) cannot be read: \(SystemError.last.text)", hint: hint)
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw AuthFailure(.configuration, "\(name) \(path) is no file", hint: hint)
        }
        guard status.st_mode & 0o077 == 0 else {
            throw AuthFailure(.configuration, "\(name) \(path) can be read by others", hint: "run: chmod 600 \(ShellWord(path))")
        }
        guard status.st_size <= limit else {
            throw AuthFailure(.configuration, "\(name) \(path) is larger than \(limit >> 10) kB", hint: hint)
        }
        var bytes = [UInt8](repeating: 0, count: limit)
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
