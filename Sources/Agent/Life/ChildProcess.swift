import Glibc
import System

/// Starts a program in its own session, with default signals and none of our open files.
enum ChildProcess {
    /// Starts a program; returns the error number if that fails. `program` is searched in the environment's `PATH` if it contains no slash.
    ///
    /// - Parameter passing: a descriptor that the program gets as number 3.
    static func start(_ program: String, _ arguments: [String], environment: [String: String], passing: Int32? = nil) -> Result<
        pid_t, SystemError
    > {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        // dup2 of a descriptor onto itself clears close-on-exec.
        if let passing { posix_spawn_file_actions_adddup2(&actions, passing, 3) }
        // Close what other code opened without close-on-exec, for example a lock of the caller's shell.
        for descriptor in openDescriptors() where descriptor > (passing == nil ? 2 : 3) {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        // POSIX_SPAWN_SETSID of spawn.h, which the Glibc module hides as a GNU extension.
        let sessionFlag: Int32 = 0x80
        posix_spawnattr_setflags(&attributes, Int16(sessionFlag | Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)))
        guard let path = find(program, in: environment["PATH"]) else { return .failure(SystemError(number: ENOENT)) }
        var words = ([program] + arguments).map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in words + variables { free(text) } }
        var process = pid_t()
        let status = posix_spawn(&process, path, &actions, &attributes, &words, &variables)
        return status == 0 ? .success(process) : .failure(SystemError(number: status))
    }

    /// Returns the path of a program, found as a shell finds it.
    static func find(_ name: String, in path: String?) -> String? {
        if name.contains("/") { return access(name, X_OK) == 0 ? name : nil }
        return (path ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":").map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }

    private static func openDescriptors() -> [Int32] {
        guard let folder = opendir("/proc/self/fd") else { return [] }
        defer { closedir(folder) }
        let own = dirfd(folder)
        var found: [Int32] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if let number = Int32(name), number != own { found.append(number) }
        }
        return found
    }
}
