internal import AuthModel
internal import Glibc
internal import OperatingSystem

/// The process-wide settings that must be made before anything else.
enum ProcessStart {
    /// Prepares the process. Call it first, while there is only one thread.
    static func prepare() {
        // Only the user may read the files that this program creates.
        ProcessReplacement.originalMask = umask(0o077)
        pthread_sigmask(SIG_SETMASK, nil, &ProcessReplacement.originalSignals)
        // A closed pipe is then a handled write error and does not end the process.
        signal(SIGPIPE, SIG_IGN)
        fillStandardStreams()
        requireProcessFiles()
        closeMemory()
    }

    /// Ends the process with a message if `/proc` is missing: the thread pool of libdispatch reads it, and would crash later.
    private static func requireProcessFiles() {
        guard access("/proc/self/stat", R_OK) != 0 else { return }
        end(
            with: """
                yett: error: /proc is not mounted, and the program cannot run without it
                yett: hint: run as root: mount -t proc proc /proc

                """,
            as: AuthFailure(.configuration, text: ""))
    }

    /// Denies other processes access to this process's memory, because any command may hold a token, a key or a passphrase.
    private static func closeMemory() {
        do {
            try ProcessMemory.close()
        } catch {
            let reason = SystemError(number: error.number).text
            end(
                with: "yett: error: cannot protect this process's memory from other programs: \(reason)\n",
                as: AuthFailure(.security, text: ""))
        }
    }

    private static func end(with message: String, as failure: AuthFailure) -> Never {
        _ = message.withCString { write(STDERR_FILENO, $0, strlen($0)) }
        exit(failure.exitCode)
    }

    /// Opens `/dev/null` in place of each closed standard stream. Otherwise the next opened file would get its number, and output would be
    /// written into that file.
    private static func fillStandardStreams() {
        for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
            // Opened in the wrong direction, so that reading or writing still fails.
            _ = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
        }
    }
}
