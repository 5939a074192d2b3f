import Glibc

/// Turns signals into values: the handler writes one byte to a pipe, and a thread reads it and passes it on.
package enum SignalPipe {
    // Written once, before the first handler is installed; only read afterwards.
    private nonisolated(unsafe) static var writeEnd: Int32 = -1

    /// Installs the handlers and returns the stream of signals that ask this process to end. Call it only once.
    package static func interruptions() -> AsyncStream<Interruption> {
        let (stream, continuation) = AsyncStream.makeStream(of: Interruption.self)
        guard writeEnd < 0, let pipe = try? Pipe() else {
            continuation.finish()
            return stream
        }
        writeEnd = pipe.writeEnd
        DetachedThread.startOrRun { forward(from: pipe.readEnd, to: continuation) }
        install(SIGINT)
        install(SIGTERM)
        // Under nohup, SIGHUP is ignored and must stay so.
        var current = sigaction()
        sigaction(SIGHUP, nil, &current)
        if unsafeBitCast(current.__sigaction_handler.sa_handler, to: Int.self) != unsafeBitCast(SIG_IGN, to: Int.self) { install(SIGHUP) }
        return stream
    }

    private static func install(_ signal: Int32) {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { signal in
            // Only async-signal-safe calls (POSIX), and errno stays unchanged.
            let saved = errno
            var byte = UInt8(truncatingIfNeeded: signal)
            _ = write(SignalPipe.writeEnd, &byte, 1)
            errno = saved
        }
        action.sa_flags = SA_RESTART
        sigaction(signal, &action, nil)
    }

    private static func forward(from descriptor: Int32, to continuation: AsyncStream<Interruption>.Continuation) {
        var byte: UInt8 = 0
        while true {
            let count = read(descriptor, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return }
            if let interruption = Interruption(signal: Int32(byte)) { continuation.yield(interruption) }
        }
    }
}

/// A signal with which the user or the system asks a command to end.
public enum Interruption: Equatable, Sendable {
    /// SIGINT: Ctrl-C.
    case interrupt
    /// SIGTERM: `kill`, or a shutdown.
    case terminate
    /// SIGHUP: the terminal was closed.
    case hangUp

    package init?(signal: Int32) {
        switch signal {
        case SIGINT: self = .interrupt
        case SIGTERM: self = .terminate
        case SIGHUP: self = .hangUp
        default: return nil
        }
    }

    /// The exit status of a program that this signal ended: cancelled for Ctrl-C, otherwise 128 plus the signal number, as in a shell.
    package var exitCode: Int32 {
        switch self {
        case .interrupt: 3
        case .terminate: 128 + SIGTERM
        case .hangUp: 128 + SIGHUP
        }
    }
}
