import Glibc

/// Copies of the descriptors that this process has of a file, as a program has them that another thread starts, until its `execve`.
public final class DescriptorCopies: Sendable {
    private let copies: [Int32]

    /// Copies the descriptors of a file.
    public init(of path: String) {
        var named = stat()
        guard stat(path, &named) == 0 else {
            copies = []
            return
        }
        let descriptors = (0..<Int32(getdtablesize())).filter { descriptor in
            var open = stat()
            return fstat(descriptor, &open) == 0 && open.st_dev == named.st_dev && open.st_ino == named.st_ino
        }
        // None of the copies is copied: their numbers are free before.
        copies = descriptors.compactMap { descriptor in
            let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
            return copy >= 0 ? copy : nil
        }
    }

    /// The number of copies.
    public var count: Int { copies.count }

    deinit { for copy in copies { close(copy) } }
}
