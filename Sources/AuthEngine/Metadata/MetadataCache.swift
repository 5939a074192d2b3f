internal import AuthModel
internal import Glibc

/// Documents that a provider publishes for everybody, kept between runs so that a warm sign-in asks for none of them.
///
/// Only a document that was validated is kept, as it came, and it is validated again when it is read. A file says what it is, where it
/// came from and which roots vouched for that, and serves for nothing else (RFC 8414 section 3.3): the name of a file, which a hostile
/// provider can make two URLs share, is only where to look. A cache that cannot be read or written is no reason to fail: the document is
/// fetched again.
struct MetadataCache: Sendable {
    /// What a document is for. One kind never passes for the other.
    enum Kind: String {
        /// Metadata of an issuer.
        case metadata
        /// An issuer's signing keys.
        case keys
    }

    /// How long a document counts as current. Keys that changed meanwhile are noticed by a signature that fails, and fetched at once.
    static let lifetime: Duration = .seconds(3600)

    /// A folder of ours, mode 0700; `nil`: nothing is kept.
    let directory: String?
    /// The provider's own roots, which vouched for what was kept.
    let caFile: String?

    /// How long the place of a document is remembered as one that has one.
    static let memory: Duration = .seconds(30 * 86_400)

    /// What was kept for `url`, if it is recent.
    func body(of kind: Kind, for url: WebURL, now: Timestamp) -> [UInt8]? {
        guard let kept = kept(kind, url) else { return nil }
        let age = now - kept.moment
        return age >= .seconds(-5) && age < Self.lifetime ? kept.body : nil
    }

    /// Whether metadata was kept for `url` in these last weeks, current or not.
    func remembers(_ url: WebURL, now: Timestamp) -> Bool {
        guard let kept = kept(.metadata, url), !kept.body.isEmpty else { return false }
        return now - kept.moment < Self.memory
    }

    private func kept(_ kind: Kind, _ url: WebURL) -> (body: [UInt8], moment: Timestamp)? {
        guard let (path, label) = place(of: kind, for: url), isPrivate else { return nil }
        let file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        let limit = (1 << 20) + (1 << 14)
        guard fstat(file, &status) == 0, status.st_uid == getuid(), status.st_mode & 0o077 == 0, status.st_size <= limit else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        let count = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
        guard count == bytes.count, bytes.starts(with: label) else { return nil }
        return (Array(bytes.dropFirst(label.count)), Timestamp(seconds: Double(status.st_mtim.tv_sec)))
    }

    /// Keeps a document. Written beside and renamed, so that nobody reads half of it.
    func keep(_ body: [UInt8], of kind: Kind, for url: WebURL) {
        guard let directory, let (path, label) = place(of: kind, for: url) else { return }
        mkdir(directory, 0o700)
        guard isPrivate else { return }
        let temporary = "\(path).\(getpid())"
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        let content = label + body
        let count = content.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        close(file)
        guard count == content.count, rename(temporary, path) == 0 else {
            unlink(temporary)
            return
        }
    }

    /// Whether the folder is ours alone. In any other, somebody could put an old document in the place of a new one.
    private var isPrivate: Bool {
        var status = stat()
        guard let directory, lstat(directory, &status) == 0 else { return false }
        return status.st_mode & S_IFMT == S_IFDIR && status.st_uid == getuid() && status.st_mode & 0o077 == 0
    }

    /// The file that a document would be in, and the lines that it begins with there.
    private func place(of kind: Kind, for url: WebURL) -> (path: String, label: [UInt8])? {
        let roots = caFile ?? ""
        guard let directory, !roots.utf8.contains(UInt8(ascii: "\n")) else { return nil }
        let label = Array("yett cache 1\n\(kind.rawValue)\n\(url.text)\n\(roots)\n".utf8)
        // A file name that any URL fits into (FNV-1a).
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in label { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return ("\(directory)/\(String(hash, radix: 16)).json", label)
    }
}
