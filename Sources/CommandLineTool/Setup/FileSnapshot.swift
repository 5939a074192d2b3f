internal import AuthModel
internal import Glibc
internal import Localization
internal import OperatingSystem
internal import UserConfiguration

/// The content of a file before a change, to restore it after a failure.
struct FileSnapshot: Sendable {
    let path: String
    private let bytes: [UInt8]?

    /// Reads the file, which may be missing. Throws `.configuration`.
    init(_ path: String) throws(AuthFailure) {
        self.path = path
        bytes = try PrivateFile.read(path)
    }

    /// Restores the content if it changed. Throws a failure that says which file could not be restored.
    func restore(after failure: AuthFailure) throws(AuthFailure) {
        do throws(AuthFailure) {
            guard try PrivateFile.read(path) != bytes else { return }
            if let bytes { try PrivateFile.replace(path, with: bytes) } else { try Self.remove(path) }
        } catch {
            throw AuthFailure(
                failure.kind, text: "\(failure.summary); and \(path) could not be restored: \(error.summary)",
                hint: "check \(path), which may be half changed")
        }
    }

    /// Removes a file. Throws `.configuration`.
    static func remove(_ path: String) throws(AuthFailure) {
        guard unlink(path) == 0 || errno == ENOENT else { throw failure("remove", path) }
    }

    /// Returns whether the path is a symbolic link.
    static func isLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    /// Removes a file that a tool left empty, unless it is a symbolic link, which the user made.
    static func removeIfEmpty(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size == 0 else { return }
        unlink(path)
    }

    /// Lets users run a file. Throws `.configuration`.
    static func makeProgram(_ path: String) throws(AuthFailure) {
        guard chmod(path, 0o755) == 0 else { throw failure("change", path) }
    }

    private static func failure(_ verb: String, _ path: String) -> AuthFailure {
        AuthFailure(.configuration, text: "cannot \(verb) \(path): \(SystemError.last.text)", hint: "check the file's permissions")
    }
}
