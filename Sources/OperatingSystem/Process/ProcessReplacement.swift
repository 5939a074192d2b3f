package import Glibc

/// Replaces this process with another program.
package enum ProcessReplacement {
    /// The umask that this process was started with, restored for the new program.
    // Written once, while there is only one thread; only read afterwards.
    package nonisolated(unsafe) static var originalMask: mode_t = 0o022
    /// The signal mask that this process was started with, restored for the new program.
    // Written once, while there is only one thread; only read afterwards.
    package nonisolated(unsafe) static var originalSignals = sigset_t()

    /// Replaces this process with a program, which it finds as a shell does. Returns only if that fails.
    package static func run(_ arguments: [String], environment: [String: String]) -> SystemError {
        var vector = arguments.map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in vector + variables { free(text) } }
        // The new program would inherit ignored signals, and the signals that this thread blocks, as pool threads do.
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

    /// Returns ENOENT if the program does not exist, EACCES if it cannot be executed.
    private static func missing(_ program: String, _ environment: [String: String]) -> SystemError {
        guard program.contains("/"), access(program, F_OK) == 0 else { return SystemError(number: ENOENT) }
        return SystemError(number: EACCES)
    }
}
