internal import AuthEngine
internal import Glibc
internal import OperatingSystem

extension Streams {
    /// The standard input, output and error of this process.
    static let system: Streams = {
        let input = LineReader(descriptor: 0)
        let bytes = ByteReader(descriptor: 0)
        let line: @Sendable () async -> String? = {
            // A file from another system may end its lines with CR LF.
            guard let line = await input.next() else { return nil }
            return line.utf8.last == UInt8(ascii: "\r") ? String(line.unicodeScalars.dropLast()) : line
        }
        return Streams(
            isInputTerminal: isatty(0) == 1, isAnswerTerminal: isatty(1) == 1, isDiagnosticsTerminal: isatty(2) == 1,
            write: { (output, bytes) throws(SystemError) in try write(bytes, to: output == .answer ? 1 : 2) },
            line: line, hiddenLine: { ask in await TypedLine.hidden(ask) }, columns: columns, size: size,
            exactLine: { await input.next() }, bytes: { await bytes.next() },
            typedLine: { ask in await typedLine(ask, without: line) })
    }()

    /// - Parameter line: reads the line if there is no controlling terminal.
    private static func typedLine(
        _ ask: @Sendable (_ write: @escaping @Sendable ([UInt8]) -> Void) -> Void, without line: @Sendable () async -> String?
    ) async -> String? {
        guard let terminal = TypedLine.terminal() else {
            ask { try? write($0, to: 2) }
            return await line()
        }
        defer { close(terminal) }
        let turn = await TerminalTurn.wait(at: terminal, by: SystemTimeSource())
        defer { turn?.end() }
        guard !Task.isCancelled else { return nil }
        return await TypedLine.shown(at: terminal) { ask { try? write($0, to: terminal) } }
    }

    @Sendable private static func columns() -> Int? {
        var size = winsize()
        return ioctl(2, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : nil
    }

    @Sendable private static func size() -> (columns: Int, rows: Int)? {
        var size = winsize()
        guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return nil }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                // Another process that shares the descriptor made it non-blocking.
                var poller = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&poller, 1, -1)
            } else if errno != EINTR {
                throw SystemError.last
            }
        }
    }
}
