internal import Glibc

/// A pipe that no child inherits.
struct Pipe {
    let readEnd: Int32
    let writeEnd: Int32

    /// `nil` when the process has no descriptors left.
    init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }
}
