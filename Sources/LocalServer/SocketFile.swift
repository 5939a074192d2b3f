package import Glibc
package import OperatingSystem

/// The file of a Unix socket, as it was when it was bound.
package struct SocketFile: Sendable {
    package let path: String
    private let status: stat?

    /// The reason why there is no socket.
    package enum Failure: Error, Equatable {
        /// The path has a file of another kind or of another user, or a socket that a process serves.
        case occupied
        /// A system call failed.
        case system(Step, SystemError)

        /// The steps of ``SocketFile/listen(at:replacesServed:)``.
        package enum Step: Equatable, Sendable { case open, bind, listen }
    }

    /// Remembers the socket that is at a path now.
    package init(_ path: String) {
        self.path = path
        status = Self.status(path)
    }

    /// Opens a listening socket that only the user can reach, from its first moment. Replaces a socket that an ended process left.
    ///
    /// - Parameter replacesServed: whether a socket of the user is replaced even if a process serves it.
    package static func listen(
        at path: String, replacesServed: Bool = false
    ) throws(Failure) -> (descriptor: Int32, file: SocketFile) {
        guard let address = UnixSocketAddress(path) else { throw .system(.open, SystemError(number: ENAMETOOLONG)) }
        if let found = status(path) {
            guard found.st_mode & S_IFMT == S_IFSOCK, found.st_uid == geteuid(), replacesServed || !isServed(address) else {
                throw .occupied
            }
            unlink(path)
        }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .system(.open, .last) }
        // Linux gives the new file the socket's mode minus the umask. So the mode is at most 0600 from the beginning, without changing the
        // umask, which other threads would notice. The chmod below restores what the umask removed.
        guard fchmod(descriptor, 0o600) == 0, address.withPointer({ bind(descriptor, $0, $1) }) == 0, chmod(path, 0o600) == 0 else {
            let error = SystemError.last
            close(descriptor)
            throw .system(.bind, error)
        }
        guard Glibc.listen(descriptor, 1024) == 0 else {
            let error = SystemError.last
            close(descriptor)
            unlink(path)
            throw .system(.listen, error)
        }
        return (descriptor, SocketFile(path))
    }

    /// Whether the same file is still at the path. Also compares the modification time, because file numbers are reused.
    package var isThere: Bool {
        guard let status, let found = Self.status(path) else { return false }
        return found.st_mode & S_IFMT == S_IFSOCK && found.st_dev == status.st_dev && found.st_ino == status.st_ino
            && found.st_mtim.tv_sec == status.st_mtim.tv_sec && found.st_mtim.tv_nsec == status.st_mtim.tv_nsec
    }

    /// Removes the file, unless another one has replaced it.
    package func remove() {
        if isThere { unlink(path) }
    }

    private static func status(_ path: String) -> stat? {
        var found = stat()
        return lstat(path, &found) == 0 ? found : nil
    }

    /// Whether a process listens at the socket.
    private static func isServed(_ address: UnixSocketAddress) -> Bool {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return true }
        defer { close(descriptor) }
        return address.withPointer { connect(descriptor, $0, $1) } == 0
    }
}

/// The address of a Unix socket, as a system call takes it.
package struct UnixSocketAddress {
    private var address = sockaddr_un()
    private let length: socklen_t

    /// A path must be shorter than this, in bytes.
    package static let limit = MemoryLayout.size(ofValue: sockaddr_un().sun_path)

    /// Creates an address; `nil` if the path is empty or too long. A path that starts with `@` is in the abstract namespace, as systemd
    /// writes it.
    package init?(_ path: String) {
        var bytes = Array(path.utf8)
        guard !bytes.isEmpty, bytes.count < Self.limit else { return nil }
        let isAbstract = bytes[0] == UInt8(ascii: "@")
        if isAbstract { bytes[0] = 0 }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let start = MemoryLayout.offset(of: \sockaddr_un.sun_path) ?? 0
        length = socklen_t(isAbstract ? start + bytes.count : MemoryLayout<sockaddr_un>.size)
    }

    /// Calls `body` with the address and its length.
    package func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }
}
