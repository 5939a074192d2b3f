internal import Glibc

/// The two ends of a pipe, which no child inherits. The owner closes them.
public struct Pipe: Sendable {
    public let readEnd: Int32
    public let writeEnd: Int32

    /// - Throws: `EMFILE` or `ENFILE` if no descriptors are left.
    public init() throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .last }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }
}
