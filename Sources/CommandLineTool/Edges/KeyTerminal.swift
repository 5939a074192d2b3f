internal import CursesBackend
internal import Glibc
internal import OperatingSystem

/// A terminal from which keys are read one by one, and below whose prompt a few rows are drawn.
struct KeyTerminal: Sendable {
    /// An event that ends a wait.
    enum Event: Equatable, Sendable {
        /// Keys were typed: their bytes.
        case typed([UInt8])
        /// The terminal was resized, or the process was continued.
        case redraw
        /// The time limit passed.
        case late
        /// The terminal is gone, or the task was cancelled.
        case ended
    }

    /// Returns the current size.
    let size: @Sendable () -> (columns: Int, rows: Int)
    /// Writes bytes.
    let write: @Sendable ([UInt8]) -> Void
    /// Waits for the next event, at most for this time; `nil` waits without a limit.
    let next: @Sendable (Duration?) async -> Event
    /// Restores the settings and closes the terminal.
    let close: @Sendable () -> Void
}

extension KeyTerminal {
    /// The maximum time for the rest of an escape sequence, in milliseconds. After that, Esc was pressed.
    private static let escapeDelay: Int32 = 50

    /// Opens the controlling terminal, even if the standard streams are redirected; returns `nil` if there is none.
    @Sendable static func system() -> KeyTerminal? {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard terminal >= 0 else { return nil }
        guard let cancelling = try? Pipe() else {
            Glibc.close(terminal)
            return nil
        }
        let ends = [terminal, cancelling.readEnd, cancelling.writeEnd]
        guard let typing = TerminalTyping(at: terminal, .keys) else {
            for end in ends { Glibc.close(end) }
            return nil
        }
        return KeyTerminal(
            size: { Streams.size(of: terminal) ?? (columns: 80, rows: 24) }, write: { write($0, to: terminal) },
            next: { limit in
                await withTaskCancellationHandler {
                    await DetachedThread.run { wait(at: terminal, typing, unless: cancelling.readEnd, for: limit) }
                } onCancel: {
                    var byte: UInt8 = 0
                    _ = Glibc.write(cancelling.writeEnd, &byte, 1)
                }
            },
            close: {
                typing.end(discarding: false)
                for end in ends { Glibc.close(end) }
            })
    }

    private static func write(_ bytes: [UInt8], to terminal: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(terminal, $0.baseAddress, $0.count) }
            if count < 0, errno != EINTR { return }
            rest = rest.dropFirst(max(count, 0))
        }
    }

    private static func wait(at terminal: Int32, _ typing: TerminalTyping, unless cancelled: Int32, for limit: Duration?) -> Event {
        let deadline = limit.map { ContinuousClock.now + $0 }
        var ends = [terminal, cancelled, typing.resumeDescriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while true {
            // One more millisecond, because poll() may not return early.
            let timeout = deadline.map { Int32(clamping: Int64(max(($0 - .now) / .milliseconds(1), 0)) + 1) } ?? -1
            let count = poll(&ends, nfds_t(ends.count), timeout)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return .ended }
            guard count > 0 else { return .late }
            guard ends[1].revents == 0 else { return .ended }
            if typing.wasContinued { return .redraw }
            guard ends[0].revents != 0 else { continue }
            guard var bytes = read(terminal) else { return .ended }
            if bytes.last == 0x1B, poll(&ends, 1, escapeDelay) > 0 { bytes += read(terminal) ?? [] }
            return .typed(bytes)
        }
    }

    /// Returns the available bytes; `nil` at the end of the terminal.
    private static func read(_ terminal: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 256)
        while true {
            let count = Glibc.read(terminal, &bytes, bytes.count)
            if count < 0, errno == EINTR { continue }
            return count > 0 ? Array(bytes.prefix(count)) : nil
        }
    }
}
