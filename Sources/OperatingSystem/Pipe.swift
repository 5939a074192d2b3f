internal import Glibc

/// The two ends of a pipe, which no child inherits. The owner closes them.
public struct Pipe: Sendable {
    /// The descriptor to read from.
    public let readEnd: Int32
    /// The descriptor to write to.
    public let writeEnd: Int32

    /// Opens a pipe.
    ///
    /// - Throws: `EMFILE` or `ENFILE` if no descriptors are left.
    public init() throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .last }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }
}
