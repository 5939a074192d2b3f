public import AuthModel
import Crypto
import Glibc
import OperatingSystem

/// A random 256-bit key in a file of mode 0600: one line of 64 hexadecimal digits.
///
/// It protects a store that is copied without it. It does not protect from anyone who can read its owner's files.
public struct KeyFile: KeyStorage {
    /// The path of the file.
    public let path: String

    /// Creates a key storage for the file at `path`, which may not exist yet.
    public init(path: String) { self.path = path }

    /// ``Seal/keyFile``.
    public var seal: Seal { .keyFile }
    /// ``StoreError/Kind/keyMismatch``.
    public var mismatch: StoreError { StoreError(.keyMismatch, path: path) }

    /// Reads the key.
    public func key(store: String, credential: [UInt8]) throws(StoreError) -> Secret {
        TemporaryKeyFile.sweep(for: path)
        guard try FileGuard.check(file: path) != nil else { throw StoreError(.keyMissing, path: path) }
        return try read()
    }

    /// Reads the key; creates the file first if there is none.
    public func newKey(store: String) throws(StoreError) -> NewKey {
        TemporaryKeyFile.sweep(for: path)
        if try FileGuard.check(file: path) == nil { try create() }
        return NewKey(try read())
    }

    /// Deletes the file.
    public func forget(store: String) throws(StoreError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw StoreError.system(UserMessage("phrase.remove"), errno, path: path) }
    }

    private func read() throws(StoreError) -> Secret {
        let descriptor = try FileGuard.open(path, O_RDONLY)
        defer { close(descriptor) }
        var text = [UInt8](repeating: 0, count: 66)
        defer { text.zeroize() }
        let count = Glibc.read(descriptor, &text, text.count)
        guard count >= 0 else { throw StoreError.system(UserMessage("phrase.read"), errno, path: path) }
        guard count == 65, text[64] == UInt8(ascii: "\n") else { throw mismatch }
        let key = text.withUnsafeBytes { Hex.secret($0.prefix(64)) }
        guard let key else { throw mismatch }
        return key
    }

    /// Writes the key under a temporary name and links it into place, so that no reader sees half of it and no other key is replaced.
    private func create() throws(StoreError) {
        try FileGuard.createDirectory(FileGuard.parent(of: path))
        var line = SymmetricKey(size: .bits256).withUnsafeBytes { $0.hexadecimalDigits } + [UInt8(ascii: "\n")]
        defer { line.zeroize() }
        while true {
            let draft = try TemporaryKeyFile(for: path)
            defer { draft.remove() }
            guard write(draft.descriptor, line, line.count) == line.count else {
                throw StoreError.system(UserMessage("phrase.write"), errno, path: path)
            }
            guard fsync(draft.descriptor) == 0 else { throw StoreError.system(UserMessage("phrase.write"), errno, path: path) }
            if link(draft.path, path) == 0 || errno == EEXIST { break }
            // Another process removed the draft before it was locked.
            guard errno == ENOENT else { throw StoreError.system(UserMessage("phrase.create"), errno, path: path) }
        }
        try FileGuard.syncDirectory(FileGuard.parent(of: path))
    }
}

/// Decoding of hexadecimal digits.
enum Hex {
    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    /// Decodes an even number of digits; `nil` if they are not hexadecimal.
    static func secret(_ digits: some Collection<UInt8>) -> Secret? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        defer { bytes.zeroize() }
        var high: UInt8?
        for digit in digits {
            guard let value = Self.value(digit) else { return nil }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return high == nil ? Secret(bytes: bytes) : nil
    }
}

/// A key file before it gets its final name. A lock on it shows that its writer is alive; an unlocked one was left by a process that was
/// killed.
struct TemporaryKeyFile {
    let path: String
    let descriptor: Int32

    /// Creates and locks a temporary file with a unique name.
    init(for key: String) throws(StoreError) {
        path = "\(Self.stem(of: key))\(getpid()).\(UInt32.random(in: .min ... .max))"
        descriptor = try FileGuard.create(path)
        _ = FileLock.take(descriptor)
    }

    func remove() {
        unlink(path)
        FileLock.close(descriptor)
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
            if FileLock.take(descriptor) { unlink(path) }
            FileLock.close(descriptor)
        }
    }

    private static func stem(of key: String) -> String { "\(key).new." }
}
