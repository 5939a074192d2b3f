import Glibc

/// Room on the disk that is held for a write that must not fail, and given back right before it.
///
/// A file without a name holds it, so that the kernel gives it back when the process ends, however that ends.
final class ReservedSpace: Sendable {
    /// Enough for the pages of a session whose answer is as large as answers are, and for their journal.
    static let size = 128 << 10

    private let descriptor: Int32

    /// Reserves the room in a folder. Where its file system reserves none, there is nothing to hold.
    ///
    /// - Throws: ``StoreError/Kind/full`` where there is too little.
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
        // A file system that knows no files without a name.
        let path = "\(directory)/sessions.room.\(getpid())"
        unlink(path)
        defer { unlink(path) }
        return try FileGuard.create(path)
    }

    /// `O_TMPFILE` of `<fcntl.h>`, which Swift's Glibc module hides.
    private static let unnamed = 0o20_000_000 | O_DIRECTORY
}
