internal import Glibc

/// Reads small regular files, and refuses those that the wrong users can read or change.
public enum RegularFile {
    /// The widest access to a file that is accepted.
    public enum Access: Sendable {
        /// Everybody.
        case anyone
        /// The file belongs to this user or root, and only the owner can change it.
        case writableByOwner
        /// The file belongs to this user or root, and only the owner can read or change it.
        case owner

        fileprivate var forbiddenMode: mode_t {
            switch self {
            case .anyone: 0
            case .writableByOwner: 0o022
            case .owner: 0o077
            }
        }
    }

    /// The reason why a file was not read.
    public enum Failure: Error, Equatable, Sendable {
        case system(SystemError)
        /// It is a folder, a pipe, a device or a socket.
        case notRegular
        /// It belongs to another user.
        case foreignOwner
        /// Other users can read or change it.
        case accessibleToOthers
        case tooLarge
    }

    /// Reads a file from its beginning to its end.
    ///
    /// - Parameters:
    ///   - limit: the largest size in bytes that is accepted.
    ///   - checksOwner: whether a file of another user is refused where ``Access`` limits who may use it.
    public static func read(
        _ path: String, limit: Int, access: Access = .anyone, checksOwner: Bool = true
    ) throws(Failure) -> [UInt8] {
        // O_NONBLOCK, because a FIFO in the file's place would block open(2) for ever.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .system(.last) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(.last) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular }
        if access != .anyone, checksOwner, status.st_uid != geteuid(), status.st_uid != 0 { throw .foreignOwner }
        guard status.st_mode & access.forbiddenMode == 0 else { throw .accessibleToOthers }
        guard status.st_size <= limit else { throw .tooLarge }
        // One byte more than fits, to notice a file that grows. Files in /proc have no size.
        let capacity = min(limit, max(Int(status.st_size), 64 << 10)) + 1
        var bytes = [UInt8](repeating: 0, count: capacity)
        defer { bytes.withUnsafeMutableBytes { if let base = $0.baseAddress { explicit_bzero(base, $0.count) } } }
        var count = 0
        while count < capacity {
            let got = bytes.withUnsafeMutableBytes { buffer in
                buffer.baseAddress.map { Glibc.read(descriptor, $0 + count, capacity - count) } ?? 0
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw .system(.last) }
            if got == 0 { break }
            count += got
        }
        guard count < capacity else { throw .tooLarge }
        return Array(bytes[..<count])
    }
}
