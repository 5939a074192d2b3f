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

    private static func readsKeys(_ terminal: Int32) -> Bool {
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
