internal import Glibc
internal import OperatingSystem

/// Ends a sign-in together with the command that waits for it, however that command ends: a sign-in that stays behind would hold a port and
/// the terminal for an answer that has no use.
enum ParentWatch {
    /// The descriptor of the pipe whose other end only the waiting command has.
    private static let descriptor: Int32 = 3

    /// Sends this process `SIGTERM` once the command that started it has ended.
    static func start() {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        // If no thread can be started, the sign-in only ends at its own time limit.
        _ = DetachedThread.start(stackSize: 256 << 10, blocksSignals: true) {
            var byte: UInt8 = 0
            var count = read(descriptor, &byte, 1)
            while count > 0 || count < 0 && errno == EINTR { count = read(descriptor, &byte, 1) }
            if count == 0 { kill(getpid(), SIGTERM) }
        }
    }
}
