import Glibc
import ProcessHarness

/// Copies of the descriptors that this process has of a file, as a program has them that another thread starts, until its `execve`.
public final class DescriptorCopies: Sendable {
    private let copies: [Int32]

    /// Copies the descriptors of a file.
    public init(of path: String) {
        var named = stat()
        let exists = stat(path, &named) == 0
        // None of the copies is copied: their numbers are free before.
        let descriptors = openDescriptors().filter { descriptor in
            var open = stat()
            return exists && fstat(descriptor, &open) == 0 && open.st_dev == named.st_dev && open.st_ino == named.st_ino
        }
        copies = descriptors.compactMap { descriptor in
            let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
            return copy >= 0 ? copy : nil
        }
    }

    /// The number of copies.
    public var count: Int { copies.count }

    deinit { for copy in copies { close(copy) } }
}
