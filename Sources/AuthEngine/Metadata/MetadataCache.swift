import AuthModel
import Glibc

/// A cache of public provider documents on disk. With it, a sign-in soon after another one fetches no documents.
///
/// Only validated documents are stored, unchanged, and they are validated again when read. Each file states its kind, its URL and the root
/// certificates that were trusted for it, and is used for nothing else (RFC 8414 section 3.3). The file name is only an index, because a
/// hostile provider can find two URLs with the same file name. If the cache cannot be read or written, the document is fetched again.
struct MetadataCache: Sendable {
    /// The kind of a document. A file of one kind is never used as the other.
    enum Kind: String {
        /// An issuer's metadata.
        case metadata
        /// An issuer's signing keys.
        case keys
    }

    /// The time for which a document is current. If keys change earlier, a signature check fails, and the keys are fetched at once.
    static let lifetime: Duration = .seconds(3600)

    /// The cache folder, which the user owns, mode 0700; `nil`: nothing is cached.
    let directory: String?
    /// The provider's own root certificates, which were trusted for the cached documents.
    let caFile: String?

    /// The time for which a location is remembered as one that has a document.
    static let memory: Duration = .seconds(30 * 86_400)

    /// Returns the cached document for `url`, if it is current.
    func body(of kind: Kind, for url: WebURL, now: Timestamp) -> [UInt8]? { current(kind, url, now: now)?.body }

    /// Returns the cached document for `url` and when it was fetched, if it is current.
    func current(_ kind: Kind, _ url: WebURL, now: Timestamp) -> (body: [UInt8], moment: Timestamp)? {
        guard let kept = kept(kind, url) else { return nil }
        let age = now - kept.moment
        return age >= .seconds(-5) && age < Self.lifetime ? kept : nil
    }

    /// Whether metadata for `url` was cached within ``memory``, current or not.
    func hadDocumentRecently(_ url: WebURL, now: Timestamp) -> Bool {
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

    /// Stores a document. The file is written under a temporary name and renamed, so that readers never see an incomplete file.
    func store(_ body: [UInt8], of kind: Kind, for url: WebURL) {
        guard let directory, let (path, label) = place(of: kind, for: url) else { return }
        // A new home has no ~/.cache either.
        var folder = ""
        for part in directory.split(separator: "/") {
            folder += "/" + part
            mkdir(folder, 0o700)
        }
        guard isPrivate else { return }
        // A process that was killed leaves its file.
        let temporary = "\(path).\(String(UInt64.random(in: .min ... .max), radix: 36))"
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

    /// Whether only the user has access to the folder. In any other folder, another user could replace a document with an old one.
    private var isPrivate: Bool {
        var status = stat()
        guard let directory, lstat(directory, &status) == 0 else { return false }
        return status.st_mode & S_IFMT == S_IFDIR && status.st_uid == getuid() && status.st_mode & 0o077 == 0
    }

    /// Returns the path of a document's file, and the header lines that the file starts with.
    private func place(of kind: Kind, for url: WebURL) -> (path: String, label: [UInt8])? {
        let roots = caFile ?? ""
        guard let directory, !roots.utf8.contains(UInt8(ascii: "\n")) else { return nil }
        let label = Array("yett cache 1\n\(kind.rawValue)\n\(url.text)\n\(roots)\n".utf8)
        // A hash of the header as a short file name (FNV-1a).
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in label { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return ("\(directory)/\(String(hash, radix: 16)).json", label)
    }
}
