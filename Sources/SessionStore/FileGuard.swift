import AuthModel
import Glibc
import OperatingSystem

/// Accesses the store's files safely: sets explicit modes regardless of the umask, and refuses symbolic links, files of other users and
/// modes that give others access.
///
/// The database itself is checked with `lstat` and never opened here: closing any descriptor of a file drops the POSIX locks that SQLite
/// holds on it in this process.
enum FileGuard {
    /// Creates a folder of mode 0700, with its missing parents, if there is none. Refuses an existing folder that is not safe.
    static func createDirectory(_ path: String) throws(StoreError) {
        var made: [String] = []
        var missing = path
        while try status(missing) == nil {
            made.append(missing)
            missing = parent(of: missing)
        }
        for folder in made.reversed() {
            // Another process may create the same folders at the same time; only the final result is checked.
            guard mkdir(folder, 0o700) == 0 else {
                guard errno == EEXIST else { throw StoreError.system(UserMessage("phrase.create"), errno, path: folder) }
                continue
            }
            guard chmod(folder, 0o700) == 0 else { throw StoreError.system(UserMessage("phrase.create"), errno, path: folder) }
        }
        try check(directory: path)
    }

    /// Refuses a folder that is missing, is a symbolic link, belongs to another user or is accessible to others.
    static func check(directory path: String) throws(StoreError) {
        guard let found = try status(path) else { throw StoreError.system(UserMessage("phrase.open"), ENOENT, path: path) }
        try check(found, type: S_IFDIR, required: 0o700, path: path)
    }

    /// Returns the size of a file; `nil` if there is none. Refuses a symbolic link, anything but a regular file, and a file that belongs to
    /// another user or is accessible to others.
    @discardableResult
    static func check(file path: String) throws(StoreError) -> Int? {
        guard let found = try status(path) else { return nil }
        try check(found, type: S_IFREG, required: 0o600, path: path)
        return Int(found.st_size)
    }

    /// Returns the identity of the file at a path; `nil` if it cannot be determined.
    static func identity(_ path: String) -> FileIdentity? {
        var found = stat()
        return lstat(path, &found) == 0 ? FileIdentity(device: found.st_dev, number: found.st_ino) : nil
    }

    /// Returns whether there is no file at a path.
    static func isMissing(_ path: String) -> Bool {
        var found = stat()
        return lstat(path, &found) != 0 && errno == ENOENT
    }

    /// Creates a new file of mode 0600, open for reading and writing. Fails if the path exists.
    static func create(_ path: String) throws(StoreError) -> Int32 {
        do throws(SystemError) { return try SecretFile.create(path) } catch {
            throw StoreError.system(UserMessage("phrase.create"), error.number, path: path)
        }
    }

    /// Opens an existing file that belongs to this user and is accessible to no other.
    static func open(_ path: String, _ flags: Int32) throws(StoreError) -> Int32 {
        let descriptor = Glibc.open(path, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw errno == ELOOP
                ? StoreError(.unsafe(.symbolicLink), path: path) : StoreError.system(UserMessage("phrase.open"), errno, path: path)
        }
        var found = stat()
        do throws(StoreError) {
            guard fstat(descriptor, &found) == 0 else { throw StoreError.system(UserMessage("phrase.open"), errno, path: path) }
            try check(found, type: S_IFREG, required: 0o600, path: path)
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// Opens a file that belongs to this user and is accessible to no other; creates it if there is none.
    static func openOrCreate(_ path: String) throws(StoreError) -> Int32 {
        while true {
            if try check(file: path) != nil { return try open(path, O_RDWR) }
            do throws(StoreError) {
                return try create(path)
            } catch StoreError(.system(operation: UserMessage("phrase.create"), code: EEXIST), path: path) {
                continue
            }
        }
    }

    /// Makes the entries of a folder durable.
    static func syncDirectory(_ path: String) throws(StoreError) {
        let descriptor = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StoreError.system(UserMessage("phrase.open"), errno, path: path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw StoreError.system(UserMessage("phrase.write"), errno, path: path) }
    }

    /// Returns the folder that contains `path`.
    static func parent(of path: String) -> String {
        let trimmed = withoutTrailingSlashes(path)
        guard let slash = trimmed.lastIndex(of: "/") else { return "." }
        return withoutTrailingSlashes(String(trimmed[...slash]))
    }

    /// Removes trailing slashes, because `lstat` follows a link whose path ends in a slash.
    static func withoutTrailingSlashes(_ path: String) -> String {
        var path = path[...]
        while path.count > 1, path.last == "/" { path = path.dropLast() }
        return String(path)
    }

    private static func status(_ path: String) throws(StoreError) -> stat? {
        var found = stat()
        if lstat(path, &found) == 0 { return found }
        guard errno == ENOENT else { throw StoreError.system(UserMessage("phrase.open"), errno, path: path) }
        return nil
    }

    private static func check(_ found: stat, type: mode_t, required: mode_t, path: String) throws(StoreError) {
        let actual = found.st_mode & S_IFMT
        guard actual != S_IFLNK else { throw StoreError(.unsafe(.symbolicLink), path: path) }
        guard actual == type else { throw StoreError(.unsafe(.wrongType), path: path) }
        guard found.st_uid == geteuid() else { throw StoreError(.unsafe(.foreignOwner), path: path) }
        guard found.st_mode & 0o077 == 0 else { throw StoreError(.unsafe(.loose(required: required)), path: path) }
    }
}

/// Identifies a file independently of its name.
struct FileIdentity: Equatable, Sendable {
    var device: dev_t
    var number: ino_t
}

extension StoreError {
    /// Returns the error for a failed system call.
    static func system(_ operation: UserMessage, _ code: Int32, path: String?) -> StoreError {
        switch code {
        case ENOSPC, EDQUOT: StoreError(.full, path: path)
        case EROFS, EACCES, EPERM: StoreError(.readOnly, path: path)
        default: StoreError(.system(operation: operation, code: code), path: path)
        }
    }
}

/// Disk space that is reserved for a write that must not fail, and released right before it.
///
/// An unnamed file holds it, so that the kernel releases it when the process ends in any way.
final class ReservedSpace: Sendable {
    /// The reserved size in bytes: enough for the pages of a session with the largest expected response, and for their journal.
    static let size = 128 << 10

    private let descriptor: Int32

    /// Reserves the space in a folder. On a file system that cannot reserve space, it reserves none.
    ///
    /// - Throws: ``StoreError/Kind/full`` if there is too little space.
    init(in directory: String) throws(StoreError) {
        descriptor = try Self.openUnnamed(in: directory)
        let code = posix_fallocate(descriptor, 0, off_t(Self.size))
        guard [ENOSPC, EDQUOT].contains(code) else { return }
        close(descriptor)
        throw StoreError(.full, path: directory)
    }

    deinit { close(descriptor) }

    private static func openUnnamed(in directory: String) throws(StoreError) -> Int32 {
        let descriptor = open(directory, unnamed | O_RDWR | O_CLOEXEC, 0o600)
        if descriptor >= 0 { return descriptor }
        // The file system does not support unnamed files.
        let path = "\(directory)/sessions.room.\(getpid())"
        unlink(path)
        defer { unlink(path) }
        return try FileGuard.create(path)
    }

    /// `O_TMPFILE` of `<fcntl.h>`, which Swift's Glibc module hides.
    private static let unnamed = 0o20_000_000 | O_DIRECTORY
}
