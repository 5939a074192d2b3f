import Glibc

/// A socket file as it was when it was bound.
struct BoundSocket: Sendable {
    let path: String
    private let status: stat?

    init(_ path: String) {
        self.path = path
        status = Self.status(path)
    }

    /// Whether the same file is still at the path. Also compares the modification time, because file numbers are reused.
    var isThere: Bool {
        guard let status, let found = Self.status(path) else { return false }
        return found.st_mode & S_IFMT == S_IFSOCK && found.st_dev == status.st_dev && found.st_ino == status.st_ino
            && found.st_mtim.tv_sec == status.st_mtim.tv_sec && found.st_mtim.tv_nsec == status.st_mtim.tv_nsec
    }

    private static func status(_ path: String) -> stat? {
        var found = stat()
        return lstat(path, &found) == 0 ? found : nil
    }
}
