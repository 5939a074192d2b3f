import Glibc

/// Finds a program the way execvp does, but in a given PATH.
enum Executable {
    /// The file to run; `nil` when there is none that this user may run.
    static func find(_ program: String, path: String?) -> String? {
        guard !program.contains("/") else { return isRunnable(program) ? program : nil }
        // Relative folders in PATH, the empty one too, would let the current directory choose the browser.
        return (path ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":").filter { $0.hasPrefix("/") }
            .map { "\($0)/\(program)" }.first(where: isRunnable)
    }

    private static func isRunnable(_ path: String) -> Bool {
        var information = stat()
        return stat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }
}
