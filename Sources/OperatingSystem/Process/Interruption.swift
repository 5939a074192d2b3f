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
}
