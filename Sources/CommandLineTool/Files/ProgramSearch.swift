internal import Glibc

/// Finds programs as a shell does.
enum ProgramSearch {
    /// Returns the path of an executable program: the name itself if it contains a slash, otherwise the first match in `PATH`.
    static func find(_ name: String, in environment: [String: String]) -> String? {
        if name.contains("/") { return access(name, X_OK) == 0 ? name : nil }
        let folders = (environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
        return folders.lazy.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }
}
