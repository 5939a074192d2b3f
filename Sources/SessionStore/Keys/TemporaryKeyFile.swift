import Glibc

/// A key file before it gets its final name. A lock on it shows that its writer is alive; an unlocked one was left by a process that was
/// killed.
struct TemporaryKeyFile {
    let path: String
    let descriptor: Int32

    /// Creates and locks a temporary file with a unique name.
    init(for key: String) throws(StoreError) {
        path = "\(Self.stem(of: key))\(getpid()).\(UInt32.random(in: .min ... .max))"
        descriptor = try FileGuard.create(path)
        _ = flock(descriptor, LOCK_EX | LOCK_NB)
    }

    func remove() {
        unlink(path)
        close(descriptor)
    }

    /// Deletes the files that killed processes left. Skips files that cannot be opened.
    static func sweep(for key: String) {
        let folder = FileGuard.parent(of: key)
        guard let listing = opendir(folder) else { return }
        defer { closedir(listing) }
        var stale: [String] = []
        while let entry = readdir(listing) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            let path = "\(folder == "/" ? "" : folder)/\(name)"
            if path.hasPrefix(stem(of: key)) { stale.append(path) }
        }
        for path in stale {
            let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlink(path) }
            close(descriptor)
        }
    }

    private static func stem(of key: String) -> String { "\(key).new." }
}
