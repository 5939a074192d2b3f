import Glibc
import ProcessHarness

/// Copies of the descriptors that this process has of a file, as a program has them that another thread starts, until its `execve`.
public final class DescriptorCopies: Sendable {
    private let copies: [Int32]

    /// Copies the descriptors of a file.
    public convenience init(of path: String) {
        var named = stat()
        let exists = stat(path, &named) == 0
        self.init { descriptor in
            var open = stat()
            return exists && fstat(descriptor, &open) == 0 && open.st_dev == named.st_dev && open.st_ino == named.st_ino
        }
    }

    /// Copies the sockets that listen on a port.
    public convenience init(ofListenersOn port: Int) {
        self.init { descriptor in
            var listens: CInt = 0
            var length = socklen_t(MemoryLayout<CInt>.size)
            guard getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) == 0, listens == 1 else { return false }
            var address = sockaddr_storage()
            var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
            return withUnsafeMutableBytes(of: &address) { bytes in
                guard let start = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), getsockname(descriptor, start, &size) == 0,
                    [AF_INET, AF_INET6].contains(Int32(start.pointee.sa_family))
                else { return false }
                return Int(bytes[2]) << 8 | Int(bytes[3]) == port
            }
        }
    }

    private init(where isCopied: (Int32) -> Bool) {
        // None of the copies is copied: their numbers are free before.
        copies = openDescriptors().filter(isCopied).compactMap { descriptor in
            let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
            return copy >= 0 ? copy : nil
        }
    }

    /// The number of copies.
    public var count: Int { copies.count }

    deinit { for copy in copies { close(copy) } }
}
