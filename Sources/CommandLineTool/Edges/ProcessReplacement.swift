internal import Glibc
internal import System

/// Becomes another program.
enum ProcessReplacement {
    /// The umask that this process was started with, for the program that takes its place.
    // Written once, before there is a second thread; afterwards only read.
    nonisolated(unsafe) static var originalMask: mode_t = 0o022
    /// The signals that this process was started with blocked, likewise.
    // Written once, before there is a second thread; afterwards only read.
    nonisolated(unsafe) static var originalSignals = sigset_t()

    /// Runs a program in this process's place, found as a shell finds it. Only a failure returns.
    static func run(_ arguments: [String], environment: [String: String]) -> SystemError {
        var vector = arguments.map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in vector + variables { free(text) } }
        // What we ignore and what this thread has blocked, as threads of a pool do, would be the program's lot too.
        signal(SIGPIPE, SIG_DFL)
        var mask = originalSignals
        pthread_sigmask(SIG_SETMASK, &mask, nil)
        umask(originalMask)
        ProcessMemory.restoreCoreLimit()
        guard let program = arguments.first, let path = ChildProcess.find(program, in: environment["PATH"], allowsRelative: true) else {
            return missing(arguments.first ?? "", environment)
        }
        execve(path, &vector, &variables)
        return .last
    }

    /// Whether a program that cannot be run is not there at all.
    private static func missing(_ program: String, _ environment: [String: String]) -> SystemError {
        guard program.contains("/"), access(program, F_OK) == 0 else { return SystemError(number: ENOENT) }
        return SystemError(number: EACCES)
    }
}
