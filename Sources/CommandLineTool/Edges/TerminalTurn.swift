internal import AuthModel
internal import Glibc

/// Lets one process of a job at a time ask at a terminal: git, for example, runs several helpers at once, and an answer would reach another
/// question than the one that the user read last.
///
/// The processes of other jobs do not count: they ask only when they are in the foreground, and one that was stopped while it asked must not
/// keep others from asking.
struct TerminalTurn {
    /// The terminal, with a lock; closing it ends the turn.
    private let device: Int32

    private static let interval = Duration.milliseconds(50)
    /// The request for the number of a terminal's device, in ioctl_tty(2): `TIOCGDEV`, which Swift does not import.
    private static let deviceNumber: UInt = 0x8004_5432
    /// The command for a lock that belongs to the open file, in fcntl(2): `F_OFD_SETLK`, which Swift does not import.
    private static let setLock: Int32 = 37
    /// The major numbers of pseudo-terminals, each with 256 minor numbers.
    private static let pseudoTerminals = UInt32(136)...143

    /// Waits for the turn at the terminal that `descriptor` refers to.
    ///
    /// Returns `nil` if the task is cancelled, if the process is in the background, or if there is no turn: on a console, and where the device
    /// cannot be opened, as in some containers. Two questions at once are better than none.
    static func wait(at descriptor: Int32, by time: any TimeSource) async -> TerminalTurn? {
        // A lock on /dev/tty, which names the terminal of each process, would be one lock for all terminals.
        guard tcgetpgrp(descriptor) == getpgrp(), let path = path(of: descriptor) else { return nil }
        let device = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard device >= 0 else { return nil }
        // The lock is on the byte with the number of the job.
        var lock = flock(l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: Int(getpgrp()), l_len: 1, l_pid: 0)
        while fcntl(device, setLock, &lock) != 0 {
            let isHeld = errno == EAGAIN || errno == EACCES || errno == EINTR
            guard isHeld, (try? await time.sleep(until: time.bootTime + interval)) != nil else {
                close(device)
                return nil
            }
        }
        return TerminalTurn(device: device)
    }

    func end() { close(device) }

    private static func path(of descriptor: Int32) -> String? {
        var number: UInt32 = 0
        guard ioctl(descriptor, deviceNumber, &number) == 0 else { return nil }
        // As new_encode_dev of the kernel numbers a device.
        let (major, minor) = (number >> 8 & 0xFFF, number & 0xFF | number >> 12 & 0xFFF00)
        guard pseudoTerminals.contains(major) else { return nil }
        return "/dev/pts/\((major - pseudoTerminals.lowerBound) * 256 + minor)"
    }
}
