internal import AuthModel
internal import Glibc

/// Documents that a provider publishes for everybody, kept between runs so that a warm sign-in asks for none of them.
///
/// Only a document that was validated is kept, as it came, and it is validated again when it is read. A cache that cannot be read or
/// written is no reason to fail: the document is fetched again.
struct MetadataCache: Sendable {
    /// How long a document counts as current. Keys that changed meanwhile are noticed by a signature that fails, and fetched at once.
    static let lifetime: Duration = .seconds(3600)

    /// A folder of ours, mode 0700; `nil`: nothing is kept.
    let directory: String?

    /// How long the place of a document is remembered as one that has one.
    static let memory: Duration = .seconds(30 * 86_400)

    /// What was kept for `url`, if it is recent.
    func body(for url: WebURL, now: Timestamp) -> [UInt8]? {
        guard let path = path(for: url) else { return nil }
        let file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_uid == getuid(), status.st_mode & 0o077 == 0, status.st_size <= 1 << 20 else {
            return nil
        }
        let age = now - Timestamp(seconds: Double(status.st_mtim.tv_sec))
        guard age >= .seconds(-5), age < Self.lifetime else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        let count = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
        return count == bytes.count ? bytes : nil
    }

    /// Keeps a document. Written beside and renamed, so that nobody reads half of it.
    func keep(_ body: [UInt8], for url: WebURL) {
        guard let directory, let path = path(for: url) else { return }
        mkdir(directory, 0o700)
        let temporary = "\(path).\(getpid())"
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        let count = body.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        close(file)
        guard count == body.count, rename(temporary, path) == 0 else {
            unlink(temporary)
            return
        }
    }

    /// Whether a document was kept for `url` in these last weeks, current or not.
    func remembers(_ url: WebURL, now: Timestamp) -> Bool {
        var status = stat()
        guard let path = path(for: url), lstat(path, &status) == 0, status.st_size > 0 else { return false }
        return now - Timestamp(seconds: Double(status.st_mtim.tv_sec)) < Self.memory
    }

    /// Forgets a document.
    func forget(_ url: WebURL) {
        if let path = path(for: url) { unlink(path) }
    }

    private func path(for url: WebURL) -> String? {
        guard let directory else { return nil }
        // A file name that any URL fits into: FNV-1a is enough, for the document itself is validated when it is read.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in url.text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return "\(directory)/\(String(hash, radix: 16)).json"
    }
}
