internal import Glibc

/// Tells whether a file has changed, without reading it.
public enum FileRevision {
    /// Returns numbers that differ after every change of a file's content; others if there is no file.
    public static func numbers(_ path: String) -> [Int] {
        var found = stat()
        guard stat(path, &found) == 0 else { return [0] }
        return [
            Int(truncatingIfNeeded: found.st_dev), Int(truncatingIfNeeded: found.st_ino), found.st_size, found.st_mtim.tv_sec,
            found.st_mtim.tv_nsec, found.st_ctim.tv_sec, found.st_ctim.tv_nsec,
        ]
    }

    /// Returns numbers that differ if another file is at the path, while the first one is still open somewhere; others if there is no file.
    public static func identity(_ path: String) -> [Int] { Array(numbers(path).prefix(2)) }
}
