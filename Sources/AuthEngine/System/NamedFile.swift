import Glibc
import System

/// Reads a file that the configuration or the environment names. Other users may read it.
enum NamedFile {
    struct Unreadable: Error {
        var text: String
    }

    /// Returns the file's contents, or why it cannot be read.
    static func contents(of path: String) -> Result<[UInt8], Unreadable> {
        // Do not block: opening a named pipe without a writer would wait forever.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return .failure(Unreadable(text: SystemError.last.text)) }
        defer { close(descriptor) }
        var information = stat()
        guard fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
            return .failure(Unreadable(text: "not a file"))
        }
        guard information.st_size <= 16 << 20 else { return .failure(Unreadable(text: "larger than 16 MB")) }
        let size = Int(information.st_size)
        var count = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, initialized in
            while count < size, let base = buffer.baseAddress {
                let got = Glibc.read(descriptor, base + count, size - count)
                if got > 0 { count += got } else if got == 0 || errno != EINTR { break }
            }
            initialized = count
        }
        return .success(bytes)
    }
}
