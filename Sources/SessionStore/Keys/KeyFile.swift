public import AuthModel
import Crypto
import Glibc

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

    /// Reads the key; creates the file first if `creating` is set and there is none.
    public func key(store: String, creating: Bool) throws(StoreError) -> Secret {
        TemporaryKeyFile.sweep(for: path)
        if try FileGuard.check(file: path) == nil {
            guard creating else { throw StoreError(.keyMissing, path: path) }
            try create()
        }
        return try read()
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
        var line = SymmetricKey(size: .bits256).withUnsafeBytes { Hex.digits($0) } + [UInt8(ascii: "\n")]
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

/// Hexadecimal encoding.
enum Hex {
    static func value(_ digit: UInt8) -> UInt8? {
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

    static func digits(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        let alphabet = Array("0123456789abcdef".utf8)
        return bytes.flatMap { [alphabet[Int($0 >> 4)], alphabet[Int($0 & 15)]] }
    }
}
