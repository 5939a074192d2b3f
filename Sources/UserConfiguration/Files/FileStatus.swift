internal import Glibc

/// Reads the status of a file without opening it.
package enum FileStatus {
    /// Returns whether the path exists, as any type of file.
    package static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Returns the permission bits; `nil` if the file does not exist.
    package static func mode(_ path: String) -> UInt32? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
    }
}
