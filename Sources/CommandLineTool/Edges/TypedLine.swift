internal import AuthModel
internal import CursesBackend
internal import Glibc
internal import OperatingSystem

/// Reads a line from the controlling terminal, even if standard input is redirected, or if the program that runs this one reads keys.
///
/// Reads the line into one buffer, which is zeroed. Restores the terminal however the reading ends, and while the process is stopped.
enum TypedLine {
    /// The maximum length of a line, in bytes.
    private static let limit = 1024

    /// The result of waiting for a line.
    private enum Event {
        case line(Secret?)
        case resumed
    }

    /// Opens the controlling terminal; returns `nil` if there is none.
    static func terminal() -> Int32? {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        return terminal >= 0 ? terminal : nil
    }

    /// Reads a line without echo; returns `nil` if it is empty, the input has ended, the task is cancelled, or there is no terminal.
    ///
    /// - Parameter ask: writes the question. Called once the echo is off, and again after the process was stopped and continued.
    static func hidden(_ ask: () -> Void) async -> Secret? {
        guard let terminal = terminal() else { return nil }
        defer { close(terminal) }
        return await read(.hiddenLine, at: terminal, ask).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Reads a line with echo; returns `nil` if the input has ended or the task is cancelled.
    ///
    /// - Parameter ask: writes the question, at the same moments as for ``hidden(_:)``.
    static func shown(at terminal: Int32, _ ask: () -> Void) async -> String? {
        // A program that reads keys has drawn something, and the cursor may stand behind it.
        if readsKeys(terminal) { _ = write(terminal, "\r\n", 2) }
        return await read(.shownLine, at: terminal, ask)?.reveal()
    }

    /// Returns whether a program reads single keys at a terminal.
    static func readsKeys(_ terminal: Int32) -> Bool {
        var settings = termios()
        return tcgetattr(terminal, &settings) == 0 && settings.c_lflag & tcflag_t(ICANON) == 0
    }

    private static func read(_ kind: TerminalTyping.Kind, at terminal: Int32, _ ask: () -> Void) async -> Secret? {
        guard let cancelling = try? Pipe() else { return nil }
        defer {
            close(cancelling.readEnd)
            close(cancelling.writeEnd)
        }
        guard let typing = TerminalTyping(at: terminal, kind) else { return nil }
        let line: Secret? = await withTaskCancellationHandler {
            while true {
                ask()
                let event = await DetachedThread.run { next(at: terminal, typing, unless: cancelling.readEnd) }
                if case .line(let line) = event { return line }
            }
        } onCancel: {
            var byte: UInt8 = 0
            _ = write(cancelling.writeEnd, &byte, 1)
        }
        // Without a complete line, discard the part that may have been typed.
        typing.end(discarding: line == nil)
        return line
    }

    private static func next(at terminal: Int32, _ typing: TerminalTyping, unless cancelled: Int32) -> Event {
        var ends = [terminal, cancelled, typing.resumeDescriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while true {
            while poll(&ends, nfds_t(ends.count), -1) < 0 { if errno != EINTR { return .line(nil) } }
            guard ends[1].revents == 0 else { return .line(nil) }
            if typing.wasContinued { return .resumed }
            // A stop of the process discards the input, even between poll and read.
            if ends[0].revents != 0, let line = read(terminal) { return .line(line) }
        }
    }

    /// Returns the line; an inner `nil` if the input has ended, an outer `nil` if no line is available yet.
    private static func read(_ terminal: Int32) -> Secret?? {
        withUnsafeTemporaryAllocation(byteCount: limit, alignment: 1) { buffer in
            defer { if let base = buffer.baseAddress { explicit_bzero(base, buffer.count) } }
            let count = Glibc.read(terminal, buffer.baseAddress, buffer.count)
            if count < 0, errno == EAGAIN || errno == EINTR { return nil }
            guard count > 0 else { return .some(nil) }
            return Secret(bytes: buffer.prefix(count).prefix { $0 != 0x0A && $0 != 0x0D })
        }
    }
}

/// Lets one process of a job at a time ask at a terminal: git, for example, runs several helpers at once, and an answer would reach another
/// question than the one that the user read last.
///
/// The processes of other jobs do not count: they ask only when they are in the foreground, and one that was stopped while it asked must
/// not keep others from asking.
struct TerminalTurn {
    /// The terminal, with a lock; closing it ends the turn.
    private let device: Int32
    private let job: Int

    private static let interval = Duration.milliseconds(50)
    /// The request for the number of a terminal's device, in ioctl_tty(2): `TIOCGDEV`, which Swift does not import.
    private static let deviceNumber: UInt = 0x8004_5432
    /// The major numbers of pseudo-terminals, each with 256 minor numbers.
    private static let pseudoTerminals = UInt32(136)...143

    /// Waits for the turn at the terminal that `descriptor` refers to.
    ///
    /// Returns `nil` if the task is cancelled, if the process is in the background, or if there is no turn: on a console, and where the
    /// device cannot be opened, as in some containers. Two questions at once are better than none.
    static func wait(at descriptor: Int32, by time: any TimeSource) async -> TerminalTurn? {
        // A lock on /dev/tty, which names the terminal of each process, would be one lock for all terminals.
        guard tcgetpgrp(descriptor) == getpgrp(), let path = path(of: descriptor) else { return nil }
        let device = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard device >= 0 else { return nil }
        // The lock is on the byte with the number of the job.
        let job = Int(getpgrp())
        while !FileLock.take(device, byte: job) {
            let isHeld = errno == EAGAIN || errno == EACCES || errno == EINTR
            guard isHeld, (try? await time.sleep(until: time.bootTime + interval)) != nil else {
                close(device)
                return nil
            }
        }
        return TerminalTurn(device: device, job: job)
    }

    func end() { FileLock.close(device, byte: job) }

    private static func path(of descriptor: Int32) -> String? {
        var number: UInt32 = 0
        guard ioctl(descriptor, deviceNumber, &number) == 0 else { return nil }
        // As new_encode_dev of the kernel numbers a device.
        let (major, minor) = (number >> 8 & 0xFFF, number & 0xFF | number >> 12 & 0xFFF00)
        guard pseudoTerminals.contains(major) else { return nil }
        return "/dev/pts/\((major - pseudoTerminals.lowerBound) * 256 + minor)"
    }
}
