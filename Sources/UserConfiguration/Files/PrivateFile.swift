package import AuthModel
import Glibc
package import OperatingSystem

/// Reads and replaces small files that belong to the user.
package enum PrivateFile {
    /// The maximum size of a file, in bytes.
    package static let limit = 1 << 20

    /// Returns the bytes of a regular file that no other user can change; `nil` if the file does not exist.
    ///
    /// Throws `.configuration` if the file belongs to another user, is writable by its group or others, or is too large.
    package static func read(_ path: String, limit: Int = Self.limit) throws(AuthFailure) -> [UInt8]? {
        try read(path, access: .writableByOwner, hint: "go-w", limit: limit)
    }

    /// Returns the first line of a file that no other user can read; `nil` if the file does not exist.
    package static func readSecret(_ path: String) throws(AuthFailure) -> Secret? {
        guard var bytes = try read(path, access: .owner, hint: "600") else { return nil }
        defer { bytes.withUnsafeMutableBytes { if let base = $0.baseAddress { explicit_bzero(base, $0.count) } } }
        return Secret(bytes: bytes.prefix { $0 != 0x0A && $0 != 0x0D })
    }

    private static func read(
        _ path: String, access: RegularFile.Access, hint: String, limit: Int = Self.limit
    ) throws(AuthFailure) -> [UInt8]? {
        do throws(RegularFile.Failure) {
            return try RegularFile.read(path, limit: limit, access: access)
        } catch {
            if case .system(let error) = error, error.isMissing { return nil }
            throw failure(error, path, forbidden: access == .owner ? 0o077 : 0o022, hint: hint, limit: limit)
        }
    }

    /// Returns the failure for a file that was not read.
    package static func failure(_ error: RegularFile.Failure, _ path: String) -> AuthFailure {
        failure(error, path, forbidden: 0o022, hint: "go-w")
    }

    private static func failure(
        _ error: RegularFile.Failure, _ path: String, forbidden: mode_t, hint: String, limit: Int = Self.limit
    ) -> AuthFailure {
        switch error {
        case .system(let error): error.failure("phrase.read", path)
        case .notRegular: AuthFailure(.configuration, UserMessage("file.not_regular", ["path": path]), hint: "hint.use_regular_file")
        case .foreignOwner: foreignOwner(path)
        case .accessibleToOthers: loose(path, forbidden: forbidden, hint: hint)
        case .tooLarge:
            AuthFailure(
                .configuration, UserMessage("file.larger_than_limit", ["path": path, "limit": limit]), hint: "hint.check_right_file")
        }
    }

    /// Throws if another user owns the file or folder, or if its mode has a `forbidden` bit.
    private static func checkOwner(_ status: stat, _ path: String, forbidden: mode_t, hint: String) throws(AuthFailure) {
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw foreignOwner(path)
        }
        guard status.st_mode & forbidden == 0 else { throw loose(path, forbidden: forbidden, hint: hint) }
    }

    private static func foreignOwner(_ path: String) -> AuthFailure {
        AuthFailure(.configuration, UserMessage("file.belongs_to_other_user", ["path": path]), hint: "hint.use_own_file_or_folder")
    }

    private static func loose(_ path: String, forbidden: mode_t, hint: String) -> AuthFailure {
        let code = forbidden & 0o044 == 0 ? "file.changeable_by_others" : "file.readable_by_others"
        return AuthFailure(
            .configuration, UserMessage(code, ["path": path]), hint: UserMessage("hint.run_chmod", ["mode": hint, "path": path]))
    }

    /// Creates the missing folders of `path` with mode 0700. Throws if other users can change the last one.
    ///
    /// - Parameter isPrivate: whether to throw also if other users can read the folder.
    package static func makeDirectory(_ path: String, isPrivate: Bool = false) throws(AuthFailure) {
        var made = ""
        for part in path.split(separator: "/") {
            made += "/" + part
            if mkdir(made, 0o700) != 0, errno != EEXIST {
                let error = SystemError.last
                // A parent folder may be unreadable to us; it is enough that it exists.
                var status = stat()
                if stat(made, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { continue }
                throw error.failure("phrase.create_the_folder", made)
            }
        }
        try checkDirectory(path, isPrivate: isPrivate)
    }

    /// Throws if other users can change the folder, or, with `isPrivate`, read it. A missing folder is valid.
    package static func checkDirectory(_ path: String, isPrivate: Bool = false) throws(AuthFailure) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            let error = SystemError.last
            if error.number == ENOENT { return }
            throw error.failure("phrase.check", path)
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw AuthFailure(.configuration, UserMessage("file.not_a_folder", ["path": path]), hint: "hint.move_out_of_way")
        }
        try isPrivate ? checkOwner(status, path, forbidden: 0o077, hint: "700") : checkOwner(status, path, forbidden: 0o022, hint: "go-w")
    }

    /// Replaces a file atomically: at any moment, even after a crash, the file has either the old or the new content.
    ///
    /// Follows a symbolic link, so that a configuration kept elsewhere stays there. A new file gets mode 0600; another one keeps its mode
    /// and group. Without the right to give it that group, no group can read it.
    package static func replace(_ path: String, with bytes: [UInt8]) throws(AuthFailure) {
        let target = target(of: path)
        let directory = String(target[..<(target.lastIndex(of: "/") ?? target.startIndex)])
        var status = stat()
        let exists = stat(target, &status) == 0
        var mode = exists ? status.st_mode & 0o777 : 0o600
        let temporary = "\(directory)/.yett-\(getpid())-\(UInt64.random(in: 0 ... .max)).tmp"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SystemError.last.failure("phrase.write_to", directory) }
        do throws(SystemError) {
            defer { close(descriptor) }
            try OpenFile.write(bytes, to: descriptor)
            if exists, fchown(descriptor, uid_t.max, status.st_gid) != 0 { mode &= ~0o070 }
            guard fchmod(descriptor, mode) == 0, fsync(descriptor) == 0 else { throw SystemError.last }
            guard rename(temporary, target) == 0 else { throw SystemError.last }
        } catch {
            unlink(temporary)
            throw error.failure("phrase.write", target, hint: "hint.file_unchanged")
        }
        try sync(directory)
    }

    /// Syncs the folder, because the rename is durable only after that.
    private static func sync(_ directory: String) throws(AuthFailure) {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError.last.failure("phrase.open", directory) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw SystemError.last.failure("phrase.write", directory) }
    }

    /// Returns the file that a path names after all symbolic links, whether it exists or not.
    package static func target(of path: String) -> String {
        var path = path
        // As many links as the system follows.
        for _ in 0..<40 {
            if let real = realpath(path, nil) {
                defer { free(real) }
                return String(cString: real)
            }
            guard let text = SymbolicLink.target(of: path), let slash = path.lastIndex(of: "/") else { return path }
            path = text.hasPrefix("/") ? text : path[...slash] + text
        }
        return path
    }

    /// Runs `body` while holding the folder's exclusive lock. The system releases the lock if the process ends.
    ///
    /// Throws `.configuration` if another program still holds it after `attempts`, 50 a second: one that may only read the folder can lock
    /// it.
    package static func withLock<Value>(
        on directory: String, attempts: Int = 1500, _ body: () throws(AuthFailure) -> Value
    ) throws(AuthFailure) -> Value {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError.last.failure("phrase.open", directory) }
        defer { FileLock.close(descriptor) }
        var left = attempts
        while !FileLock.take(descriptor) {
            guard errno == EWOULDBLOCK || errno == EINTR else { throw SystemError.last.failure("phrase.lock", directory) }
            left -= 1
            guard left > 0 else {
                throw AuthFailure(
                    .configuration, UserMessage("file.folder_is_locked", ["path": directory]),
                    hint: UserMessage("hint.end_program_with_lock", ["path": directory]))
            }
            // flock(2) has no time limit.
            poll(nil, 0, 20)
        }
        return try body()
    }
}

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

    /// Returns whether the path leads to a folder.
    package static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}

/// Writes files that all users may read, such as man pages.
package enum PublicFile {
    /// Creates a folder if it does not exist; its parent must exist. Throws `.configuration`.
    package static func makeDirectory(_ path: String) throws(AuthFailure) {
        guard mkdir(path, 0o755) == 0 || errno == EEXIST else { throw SystemError.last.failure("phrase.create_the_folder", path) }
    }

    /// Writes a file, or replaces its content. Throws `.configuration`.
    package static func write(_ text: String, to path: String) throws(AuthFailure) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard descriptor >= 0 else { throw SystemError.last.failure("phrase.write", path) }
        do throws(SystemError) {
            try OpenFile.write(Array(text.utf8), to: descriptor)
        } catch {
            close(descriptor)
            throw error.failure("phrase.write", path)
        }
        // Some file systems report a full disk only on close.
        guard close(descriptor) == 0 else { throw SystemError.last.failure("phrase.write", path) }
    }
}

extension SystemError {
    /// Returns the error as a failure. `operation` is a verb, such as `phrase.read`.
    package func failure(_ operation: UserMessage, _ path: String, hint: UserMessage? = nil) -> AuthFailure {
        let message = UserMessage("file.operation_failed", ["operation": operation, "path": path, "detail": text])
        return AuthFailure(.configuration, message, hint: hint)
    }
}
