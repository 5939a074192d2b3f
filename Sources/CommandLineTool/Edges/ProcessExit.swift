internal import Glibc
internal import OperatingSystem

extension Interruption {
    /// The exit status of a program that this signal ended: cancelled for Ctrl-C, otherwise 128 plus the signal number, as in a shell.
    var exitCode: Int32 {
        switch self {
        case .interrupt: 3
        case .terminate: 128 + SIGTERM
        case .hangUp: 128 + SIGHUP
        }
    }
}
