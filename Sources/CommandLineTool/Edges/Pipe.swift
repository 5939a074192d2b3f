internal import Glibc

/// A pipe that child processes do not inherit.
struct Pipe {
    let readEnd: Int32
    let writeEnd: Int32

    /// Creates a pipe; `nil` if the process has no file descriptors left.
    init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }
}
