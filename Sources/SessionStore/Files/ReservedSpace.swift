import Glibc

/// Disk space that is reserved for a write that must not fail, and released right before it.
///
/// An unnamed file holds it, so that the kernel releases it when the process ends in any way.
final class ReservedSpace: Sendable {
    /// The reserved size in bytes: enough for the pages of a session with the largest expected response, and for their journal.
    static let size = 128 << 10

    private let descriptor: Int32

    /// Reserves the space in a folder. On a file system that cannot reserve space, it reserves none.
    ///
    /// - Throws: ``StoreError/Kind/full`` if there is too little space.
    init(in directory: String) throws(StoreError) {
        descriptor = try Self.openUnnamed(in: directory)
        let code = posix_fallocate(descriptor, 0, off_t(Self.size))
        guard [ENOSPC, EDQUOT].contains(code) else { return }
        close(descriptor)
        throw StoreError(.full, path: directory)
    }

    deinit { close(descriptor) }

    private static func openUnnamed(in directory: String) throws(StoreError) -> Int32 {
        let descriptor = open(directory, unnamed | O_RDWR | O_CLOEXEC, 0o600)
        if descriptor >= 0 { return descriptor }
        // The file system does not support unnamed files.
        let path = "\(directory)/sessions.room.\(getpid())"
        unlink(path)
        defer { unlink(path) }
        return try FileGuard.create(path)
    }

    /// `O_TMPFILE` of `<fcntl.h>`, which Swift's Glibc module hides.
    private static let unnamed = 0o20_000_000 | O_DIRECTORY
}
