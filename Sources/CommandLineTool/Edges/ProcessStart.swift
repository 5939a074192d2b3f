internal import AuthModel
internal import Glibc
internal import System

/// What the process must put right before anything else.
enum ProcessStart {
    /// Call it first, while there is one thread.
    static func prepare() {
        // Whatever is created here is the person's alone.
        ProcessReplacement.originalMask = umask(0o077)
        pthread_sigmask(SIG_SETMASK, nil, &ProcessReplacement.originalSignals)
        // A reader that goes away is an error of the write, which is handled, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        fillStandardStreams()
        closeMemory()
    }

    /// Every command may come to hold a token, and some a key or a passphrase.
    private static func closeMemory() {
        do {
            try ProcessMemory.close()
        } catch {
            let reason = SystemError(number: error.number).text
            let line = "yett: error: this process's memory cannot be closed to other programs: \(reason)\n"
            _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
            exit(AuthFailure(.security, "").exitCode)
        }
    }

    /// Puts something harmless in the place of a standard stream that is closed: else the next file opened would take its number, and
    /// the answer of a command would be written into it.
    private static func fillStandardStreams() {
        for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
            // Opened the wrong way round, so that reading or writing is still an error.
            _ = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
        }
    }
}
