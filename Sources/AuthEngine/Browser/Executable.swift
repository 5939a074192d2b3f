import Glibc

/// Finds a program as execvp does, but in a given PATH.
enum Executable {
    /// Returns the file to run; `nil` if this user can run none.
    static func find(_ program: String, path: String?) -> String? {
        guard !program.contains("/") else { return isRunnable(program) ? program : nil }
        // Skip relative and empty folders in PATH: with them, the current directory could supply the browser.
        return (path ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":").filter { $0.hasPrefix("/") }
            .map { "\($0)/\(program)" }.first(where: isRunnable)
    }

    private static func isRunnable(_ path: String) -> Bool {
        var information = stat()
        return stat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }
}
