internal import Glibc

/// What can be said of a file without opening it.
enum FileStatus {
    /// Whether there is something of that name, whatever it is.
    static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// The permission bits; `nil` where there is nothing.
    static func mode(_ path: String) -> UInt32? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
    }
}
