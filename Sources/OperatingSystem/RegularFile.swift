import Glibc

/// Reads small regular files, and refuses those that the wrong users can read or change.
public enum RegularFile {
    /// The users who may have access to a file besides its owner.
    public enum Access: Sendable {
        /// Everybody.
        case anyone
        /// The file belongs to this user or root, and only the owner can change it.
        case writableByOwner
        /// The file belongs to this user or root, and only the owner can read or change it.
        case owner

        fileprivate var forbiddenMode: mode_t {
            switch self {
            case .anyone: 0
            case .writableByOwner: 0o022
            case .owner: 0o077
            }
        }
    }

    /// The reason why a file was not read.
    public enum Failure: Error, Equatable, Sendable {
        case system(SystemError)
        /// It is a folder, a pipe, a device or a socket.
        case notRegular
        /// It belongs to another user.
        case foreignOwner
        /// Other users can read or change it.
        case accessibleToOthers
        case tooLarge
    }

    /// Reads a file from its beginning to its end.
    ///
    /// - Parameters:
    ///   - limit: the largest size in bytes that is accepted.
    ///   - checksOwner: whether a file of another user is refused where ``Access`` limits who may use it.
    public static func read(
        _ path: String, limit: Int, access: Access = .anyone, checksOwner: Bool = true
    ) throws(Failure) -> [UInt8] {
        // O_NONBLOCK, because a FIFO in the file's place would block open(2) for ever.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .system(.last) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(.last) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular }
        if access != .anyone, checksOwner, status.st_uid != geteuid(), status.st_uid != 0 { throw .foreignOwner }
        guard status.st_mode & access.forbiddenMode == 0 else { throw .accessibleToOthers }
        guard status.st_size <= limit else { throw .tooLarge }
        // One byte more than fits, to notice a file that grows. Files in /proc have no size.
        let capacity = min(limit, max(Int(status.st_size), 64 << 10)) + 1
        var bytes = [UInt8](repeating: 0, count: capacity)
        defer { bytes.withUnsafeMutableBytes { if let base = $0.baseAddress { explicit_bzero(base, $0.count) } } }
        var count = 0
        while count < capacity {
            let got = bytes.withUnsafeMutableBytes { buffer in
                buffer.baseAddress.map { Glibc.read(descriptor, $0 + count, capacity - count) } ?? 0
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw .system(.last) }
            if got == 0 { break }
            count += got
        }
        guard count < capacity else { throw .tooLarge }
        return Array(bytes[..<count])
    }

    /// Reads a table of the kernel, such as one in `/proc/net`, which may be of any size and tells none.
    package static func readTable(_ path: String) throws(SystemError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .last }
            guard count > 0 else { return bytes }
            bytes += piece[..<count]
        }
    }
}

/// Writes to open files, pipes and terminals.
package enum OpenFile {
    /// Writes all bytes.
    package static func write(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count < 0, errno == EAGAIN {
                // Another process that shares the descriptor made it non-blocking.
                var poller = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&poller, 1, -1)
            } else if count == 0 || errno != EINTR {
                throw .last
            }
        }
    }
}

/// Writes and removes a file with a secret, which only the user can read.
///
/// Every folder of the path is opened by itself, from the root on: none may be a symbolic link, belong to another user or be changeable by
/// others. `openat2` with `RESOLVE_NO_SYMLINKS` also refuses links, but opens only the last folder, so that the owners of the others could
/// not be checked without a race.
public struct SecretFile: ~Copyable {
    /// The reason why a file cannot be used, and the part of its path that is the reason.
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

/// The content of a folder.
public enum FolderListing {
    /// Returns the names in a folder, in no particular order and without `.` and `..`; empty if it cannot be read.
    public static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}

/// Reads symbolic links.
package enum SymbolicLink {
    /// Returns what a link leads to, as it is written there; `nil` if it cannot be read.
    package static func target(of link: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
            guard let base = buffer.baseAddress else { return nil }
            let count = readlink(link, base, buffer.count)
            guard count > 0, count < buffer.count else { return nil }
            return String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }
}

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
