package import AuthModel
internal import Glibc
internal import OperatingSystem

/// Writes files that all users may read, such as man pages.
package enum PublicFile {
    /// Creates a folder if it does not exist; its parent must exist. Throws `.configuration`.
    package static func makeDirectory(_ path: String) throws(AuthFailure) {
        guard mkdir(path, 0o755) == 0 || errno == EEXIST else { throw SystemError.last.failure("phrase.create_the_folder", path) }
    }

    /// Writes a file, or replaces its content. Throws `.configuration`.
    package static func write(_ text: String, to path: String) throws(AuthFailure) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard descriptor >= 0 else { throw SystemError.last.failure("phrase.write", path) }
        let bytes = Array(text.utf8)
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                let error = SystemError.last
                close(descriptor)
                throw error.failure("phrase.write", path)
            }
            written += count
        }
        // Some file systems report a full disk only on close.
        guard close(descriptor) == 0 else { throw SystemError.last.failure("phrase.write", path) }
    }
}
