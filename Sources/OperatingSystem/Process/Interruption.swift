internal import Glibc

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
