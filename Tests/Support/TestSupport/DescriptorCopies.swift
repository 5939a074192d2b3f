import Glibc

/// Copies of the descriptors that this process has of a file, as a program has them that another thread starts, until its `execve`.
public final class DescriptorCopies: Sendable {
    private let copies: [Int32]

    /// Copies the descriptors of a file.
    public init(of path: String) {
        var named = stat()
        let exists = stat(path, &named) == 0
        // None of the copies is copied: their numbers are free before.
        let descriptors = Self.openDescriptors().filter { descriptor in
            var open = stat()
            return exists && fstat(descriptor, &open) == 0 && open.st_dev == named.st_dev && open.st_ino == named.st_ino
        }
        copies = descriptors.compactMap { descriptor in
            let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
            return copy >= 0 ? copy : nil
        }
    }

    private static func openDescriptors() -> [Int32] {
        guard let folder = opendir("/proc/self/fd") else { return [] }
        defer { closedir(folder) }
        var found: [Int32] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            if let number = Int32(name), number != dirfd(folder) { found.append(number) }
        }
        return found
    }

    /// The number of copies.
    public var count: Int { copies.count }

    deinit { for copy in copies { close(copy) } }
}
