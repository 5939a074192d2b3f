internal import Glibc

/// Writes and removes a file with a secret, which only the user can read.
///
/// Every folder of the path is opened by itself, from the root on: none may be a symbolic link, belong to another user or be changeable by
/// others. `openat2` with `RESOLVE_NO_SYMLINKS` also refuses links, but opens only the last folder, so that the owners of the others could
/// not be checked without a race.
public struct SecretFile: ~Copyable {
    /// The reason why a file cannot be used, and the part of its path that causes it.
    public struct Failure: Error, Equatable, Sendable {
        /// A reason.
        public enum Reason: Equatable, Sendable {
            case symbolicLink
            case file(RegularFile.Failure)
        }

        /// The reason.
        public let reason: Reason
        /// The path of the file or folder that is the reason.
        public let path: String

        fileprivate init(_ reason: Reason, _ path: String) { (self.reason, self.path) = (reason, path) }
    }

    private let path: String
    private let name: String
    /// The folder, opened for nothing but access to its entries.
    private let folder: Int32

    /// Opens the folder of a file. The path is absolute.
    public init(_ path: String) throws(Failure) {
        var parts = path.split(separator: "/").map(String.init)
        guard path.hasPrefix("/"), let name = parts.popLast(), ![".", ".."].contains(name) else {
            throw Failure(.file(.notRegular), path)
        }
        folder = try Self.folder(parts)
        self.path = path
        self.name = name
    }

    deinit { close(folder) }

    // MARK: Folders

    /// `O_PATH`, which the C library's header hides from Swift.
    private static let pathOnly: Int32 = 0o10_000_000

    private static func folder(_ parts: [String]) throws(Failure) -> Int32 {
        var folder = open("/", pathOnly | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw Failure(.file(.system(.last)), "/") }
        do throws(Failure) {
            try check(folder, "/", isLast: parts.isEmpty)
            for (index, part) in parts.enumerated() {
                let path = "/" + parts[...index].joined(separator: "/")
                let next = openat(folder, part, pathOnly | O_NOFOLLOW | O_CLOEXEC)
                guard next >= 0 else { throw Failure(.file(.system(.last)), path) }
                close(folder)
                folder = next
                try check(folder, path, isLast: index == parts.count - 1)
            }
        } catch {
            close(folder)
            throw error
        }
        return folder
    }

    /// Throws unless the descriptor is a folder that only the user and root can change. Of a folder such as `/tmp`, in which only the owner
    /// of an entry can change it, a folder of the user is safe, but not a file: its name could be taken by others while it is missing.
    private static func check(_ folder: Int32, _ path: String, isLast: Bool) throws(Failure) {
        var status = stat()
        guard fstat(folder, &status) == 0 else { throw Failure(.file(.system(.last)), path) }
        guard status.st_mode & S_IFMT != S_IFLNK else { throw Failure(.symbolicLink, path) }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw Failure(.file(.system(SystemError(number: ENOTDIR))), path) }
        guard status.st_uid == geteuid() || status.st_uid == 0 else { throw Failure(.file(.foreignOwner), path) }
        let isProtected = status.st_mode & 0o022 == 0 || !isLast && status.st_mode & S_ISVTX != 0
        guard isProtected else { throw Failure(.file(.accessibleToOthers), path) }
    }

    // MARK: The file

    /// Whether there is something at the path. Throws if it is not a regular file of the user.
    public func exists() throws(Failure) -> Bool {
        var status = stat()
        guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            guard errno == ENOENT else { throw Failure(.file(.system(.last)), path) }
            return false
        }
        guard status.st_mode & S_IFMT != S_IFLNK else { throw Failure(.symbolicLink, path) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw Failure(.file(.notRegular), path) }
        guard status.st_uid == geteuid() else { throw Failure(.file(.foreignOwner), path) }
        return true
    }

    /// Replaces the file with a new one of mode 0600: at any moment it has either the old or the new content.
    public func replace(with bytes: [UInt8]) throws(Failure) {
        _ = try exists()
        let temporary = ".yett-\(getpid())-\(UInt64.random(in: 0 ... .max)).tmp"
        do throws(SystemError) {
            let descriptor = try Self.create(temporary, in: folder)
            defer { close(descriptor) }
            var written = 0
            while written < bytes.count {
                let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress.map { $0 + written }, $0.count - written) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw .last }
                written += count
            }
            guard fsync(descriptor) == 0, renameat(folder, temporary, folder, name) == 0 else { throw .last }
        } catch {
            unlinkat(folder, temporary, 0)
            throw Failure(.file(.system(error)), path)
        }
    }

    /// Removes the file, if there is one. Throws if something else is at its path.
    public func remove() throws(Failure) {
        guard try exists() else { return }
        guard unlinkat(folder, name, 0) == 0 || errno == ENOENT else { throw Failure(.file(.system(.last)), path) }
    }

    /// Creates a file of mode 0600 that did not exist, open for reading and writing.
    ///
    /// - Parameter folder: a descriptor of the folder that a relative path starts at; `nil` for the working directory.
    public static func create(_ path: String, in folder: Int32? = nil) throws(SystemError) -> Int32 {
        let descriptor = openat(folder ?? AT_FDCWD, path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .last }
        // The umask may have taken away permissions of the user.
        guard fchmod(descriptor, 0o600) == 0 else {
            let error = SystemError.last
            close(descriptor)
            throw error
        }
        return descriptor
    }
}
