internal import Glibc

extension Interruption {
    /// The exit status of a program that ended because of it: cancelled by the person, or as a shell counts a signal.
    var exitCode: Int32 {
        switch self {
        case .interrupt: 3
        case .terminate: 128 + SIGTERM
        case .hangUp: 128 + SIGHUP
        }
    }
}
