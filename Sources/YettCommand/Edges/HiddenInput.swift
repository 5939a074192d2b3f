internal import AuthModel
internal import Glibc
internal import System

/// Reads a line that must not be seen, on the terminal itself, whatever standard input is.
///
/// The line is read into one buffer, which is wiped. The terminal is put back however the reading ends.
enum HiddenInput {
    /// As long as a passphrase may be.
    private static let limit = 1024

    /// - Parameter ask: writes the question, once nothing that is typed is seen any more: whoever answers at once is neither seen nor unheard.
    static func line(_ ask: () -> Void) async -> Secret? {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard terminal >= 0 else { return nil }
        defer { close(terminal) }
        var settings = termios()
        guard tcgetattr(terminal, &settings) == 0, let cancelling = Pipe() else { return nil }
        defer {
            close(cancelling.readEnd)
            close(cancelling.writeEnd)
        }
        var silent = settings
        silent.c_lflag &= ~tcflag_t(ECHO)
        silent.c_lflag |= tcflag_t(ICANON | ECHONL)
        tcsetattr(terminal, TCSAFLUSH, &silent)
        // What was typed behind the line is for whoever asks next.
        defer { tcsetattr(terminal, TCSADRAIN, &settings) }
        ask()
        return await withTaskCancellationHandler {
            await DetachedThread.run { read(terminal, unless: cancelling.readEnd) }
        } onCancel: {
            var byte: UInt8 = 0
            _ = write(cancelling.writeEnd, &byte, 1)
        }
    }

    private static func read(_ terminal: Int32, unless cancelled: Int32) -> Secret? {
        var ends = [pollfd(fd: terminal, events: Int16(POLLIN), revents: 0), pollfd(fd: cancelled, events: Int16(POLLIN), revents: 0)]
        while poll(&ends, 2, -1) < 0 { if errno != EINTR { return nil } }
        guard ends[1].revents == 0 else { return nil }
        return withUnsafeTemporaryAllocation(byteCount: limit, alignment: 1) { buffer in
            defer { if let base = buffer.baseAddress { explicit_bzero(base, buffer.count) } }
            let count = Glibc.read(terminal, buffer.baseAddress, buffer.count)
            guard count > 0 else { return nil }
            let line = buffer.prefix(count).prefix { $0 != 0x0A && $0 != 0x0D }
            return line.isEmpty ? nil : Secret(bytes: line)
        }
    }
}
