import CProcess
package import Glibc

/// The environment that this process was started with.
package enum ProcessEnvironment {
    /// The environment variables; if a name occurs twice, its first value counts.
    package static var variables: [String: String] {
        var variables: [String: String] = [:]
        var entry = environ
        while let text = entry.pointee {
            let pair = String(cString: text)
            if let equals = pair.firstIndex(of: "="), equals != pair.startIndex {
                let name = String(pair[..<equals])
                variables[name] = variables[name] ?? String(pair[pair.index(after: equals)...])
            }
            entry += 1
        }
        return variables
    }

    /// The path of the running program; `nil` if it is not known.
    package static var program: String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { path in
            guard let start = path.baseAddress, cprocess_own_path(start, path.count) > 0 else { return nil }
            return String(cString: start)
        }
    }

    /// The command line, with the program's name. Also without `/proc`, where `CommandLine.arguments` is empty.
    package static var arguments: [String] {
        let arguments = cprocess_arguments()
        return (0..<Int(cprocess_argument_count())).compactMap { arguments[$0].map { String(cString: $0) } }
    }

    /// The current working directory; `/` if it no longer exists.
    package static var workingDirectory: String {
        guard let path = getcwd(nil, 0) else { return "/" }
        defer { free(path) }
        return String(cString: path)
    }
}

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

/// Protects the memory of this process, which contains keys, tokens and passphrases.
public enum ProcessMemory {
    /// The kernel refused to protect the memory.
    public struct ProtectionError: Error, Equatable, Sendable {
        /// The `errno` value.
        public let number: Int32
    }

    /// The core file limit of this process at its start, to restore it for programs that replace this process.
    // Written once, before a second thread exists; only read afterwards.
    private nonisolated(unsafe) static var originalCoreLimit: rlimit?

    /// Protects the memory from other programs of the same user: no core file, no debugger, no reading through `/proc`.
    ///
    /// Call it first, before a second thread or a secret exists. A program that this process starts or becomes has unprotected memory
    /// again. Freed memory is overwritten by `CWipingAllocator`, which the program must link.
    ///
    /// - Throws: ``ProtectionError`` if the kernel refuses. The process must not load a secret then.
    public static func close() throws(ProtectionError) {
        let number = cprocess_forbid_dumps()
        guard number == 0, cprocess_dumps_are_forbidden() == 1 else { throw ProtectionError(number: number) }
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0 else { throw ProtectionError(number: errno) }
        originalCoreLimit = originalCoreLimit ?? limit
        limit.rlim_cur = 0
        guard setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0 else { throw ProtectionError(number: errno) }
        cprocess_share_one_heap()
    }

    /// Permanently disables core files for this process and every program that it starts.
    public static func disableCoreFilesPermanently() throws(ProtectionError) {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        guard setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none) == 0 else { throw ProtectionError(number: errno) }
        originalCoreLimit = none
    }

    /// Restores the core file limit that ``close()`` found, for the next program of this process.
    public static func restoreCoreLimit() {
        guard var limit = originalCoreLimit else { return }
        _ = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    }

    /// Releases the pages of code and constants, because an agent runs for days and is mostly idle. Pages that are needed again are mapped
    /// again from the page cache.
    public static func releaseCode() { cprocess_release_code() }
}

/// The C library that the program runs with.
package enum SystemLibrary {
    /// Its name and version: `glibc 2.36`.
    package static var version: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            let count = confstr(Int32(_CS_GNU_LIBC_VERSION), buffer.baseAddress, buffer.count)
            guard count > 1, count <= buffer.count, let start = buffer.baseAddress else { return "unknown" }
            return String(cString: start)
        }
    }
}
