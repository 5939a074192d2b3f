package import AuthModel
internal import Glibc
internal import OperatingSystem

/// A temporary folder that only the user can enter.
package struct TemporaryFolder {
    package let path: String

    /// Creates a folder below `TMPDIR`, with mode 0700.
    package init(prefix: String, environment: [String: String]) throws(AuthFailure) {
        let base = environment["TMPDIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
        var template = Array("\(base)/\(prefix)-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError.last.failure("phrase.create_a_folder_in", base) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Wraps an existing folder.
    package init(existing path: String) { self.path = path }

    /// Removes the folder and its content; removes symbolic links without following them.
    package func remove() { Self.remove(path) }

    private static func remove(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            unlink(path)
            return
        }
        for name in FolderListing.names(in: path) { remove("\(path)/\(name)") }
        rmdir(path)
    }
}
