internal import AuthModel
internal import Glibc
internal import Localization
internal import OperatingSystem
internal import UserConfiguration

/// The new content of a file.
struct FileEdit: Sendable {
    let path: String
    /// The content that the edit was made from; `nil` if there was no file.
    let before: [UInt8]?
    /// The new content.
    let after: String
    /// Whether the file is removed. The target of a symbolic link, which the user made, gets the new content instead.
    var isRemoval = false
    /// Whether users may run the file.
    var isProgram = false

    /// Writes the file. Throws if another program changed it in the meantime.
    func write() throws(AuthFailure) {
        let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        try PrivateFile.makeDirectory(folder)
        try PrivateFile.withLock(on: folder) { () throws(AuthFailure) in
            guard try PrivateFile.read(path) == before else {
                throw AuthFailure(.configuration, text: "another program changed \(path)", hint: "run the command again")
            }
            // The target of a link can be a program that others use.
            guard !isProgram || !FileSnapshot.isLink(path) else {
                throw AuthFailure(
                    .configuration, text: "\(path) is a symbolic link", hint: "move it away, and run the command again")
            }
            guard !isRemoval || FileSnapshot.isLink(path) else { return try FileSnapshot.remove(path) }
            try PrivateFile.replace(path, with: Array(after.utf8))
            if isProgram { try FileSnapshot.makeProgram(path) }
        }
    }
}

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
            if let bytes { try PrivateFile.replace(path, with: bytes) } else { try Self.remove(PrivateFile.target(of: path)) }
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

    /// Returns whether there is a file or folder.
    static func exists(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0
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

/// The lines by which two texts differ, between the first and the last of them.
struct LineDifference: Equatable {
    let before: [String]
    let after: [String]

    init(before: [String], after: [String]) { (self.before, self.after) = (before, after) }

    init(from old: String, to new: String) {
        var old = Self.lines(of: old)[...]
        var new = Self.lines(of: new)[...]
        while let line = old.first, line == new.first { (old, new) = (old.dropFirst(), new.dropFirst()) }
        while let line = old.last, line == new.last { (old, new) = (old.dropLast(), new.dropLast()) }
        (before, after) = (Array(old), Array(new))
    }

    /// Returns the lines of a text, with spaces for tabs.
    static func lines(of text: String) -> [String] {
        let spaced = text.replacing("\t", with: "  ")
        var lines = spaced.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
        if lines.last == "" { lines.removeLast() }
        return lines
    }
}
