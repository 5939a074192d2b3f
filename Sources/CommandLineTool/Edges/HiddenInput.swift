internal import AuthModel
internal import CursesBackend
internal import Glibc
internal import OperatingSystem

/// Reads a line without echo from the controlling terminal, even if standard input is redirected.
///
/// Reads the line into one buffer, which is zeroed. Restores the terminal however the reading ends, and while the process is stopped.
enum HiddenInput {
    /// The maximum length of a passphrase, in bytes.
    private static let limit = 1024

    /// The result of waiting for a line.
    private enum Event {
        case line(Secret?)
        case resumed
    }

    /// Reads a line.
    ///
    /// - Parameter ask: writes the question. Called once the echo is off, and again after the process was stopped and continued.
    static func line(_ ask: () -> Void) async -> Secret? {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard terminal >= 0 else { return nil }
        defer { close(terminal) }
        guard let cancelling = try? Pipe() else { return nil }
        defer {
            close(cancelling.readEnd)
            close(cancelling.writeEnd)
        }
        guard let hidden = HiddenTyping(at: terminal) else { return nil }
        let line: Secret? = await withTaskCancellationHandler {
            while true {
                ask()
                let event = await DetachedThread.run { next(at: terminal, hidden, unless: cancelling.readEnd) }
                if case .line(let line) = event { return line }
            }
        } onCancel: {
            var byte: UInt8 = 0
            _ = write(cancelling.writeEnd, &byte, 1)
        }
        // Without a complete line, discard the part that may have been typed.
        hidden.end(discarding: line == nil)
        return line
    }

    private static func next(at terminal: Int32, _ hidden: HiddenTyping, unless cancelled: Int32) -> Event {
        var ends = [terminal, cancelled, hidden.resumeDescriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while true {
            while poll(&ends, nfds_t(ends.count), -1) < 0 { if errno != EINTR { return .line(nil) } }
            guard ends[1].revents == 0 else { return .line(nil) }
            if hidden.wasContinued { return .resumed }
            // A stop of the process discards the input, even between poll and read.
            if ends[0].revents != 0, let line = read(terminal) { return .line(line) }
        }
    }

    /// Returns the line; an inner `nil` if it is empty or the input has ended, an outer `nil` if no line is available yet.
    private static func read(_ terminal: Int32) -> Secret?? {
        withUnsafeTemporaryAllocation(byteCount: limit, alignment: 1) { buffer in
            defer { if let base = buffer.baseAddress { explicit_bzero(base, buffer.count) } }
            let count = Glibc.read(terminal, buffer.baseAddress, buffer.count)
            if count < 0, errno == EAGAIN || errno == EINTR { return nil }
            let line = buffer.prefix(max(count, 0)).prefix { $0 != 0x0A && $0 != 0x0D }
            return .some(line.isEmpty ? nil : Secret(bytes: line))
        }
    }
}
