internal import Glibc

/// Sensitive bytes: a token, a key or a passphrase.
///
/// A secret has no description, no encoding and no hash. Its bytes are zeroed when the last reference is released. Only two searchable
/// calls read it: ``withBytes(_:)`` and ``reveal()``.
public final class Secret: Sendable {
    // Written only by `init` and zeroed only by `deinit`, so threads cannot race.
    private nonisolated(unsafe) let storage: UnsafeMutableRawBufferPointer

    /// Copies `bytes`. The caller remains responsible for its own copy.
    public init(bytes: some Collection<UInt8>) {
        storage = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        storage.copyBytes(from: bytes)
    }

    /// Copies the UTF-8 bytes of `text`.
    public convenience init(_ text: some StringProtocol) {
        self.init(bytes: Array(text.utf8))
    }

    deinit {
        if let base = storage.baseAddress { explicit_bzero(base, storage.count) }
        storage.deallocate()
    }

    /// The number of bytes.
    public var count: Int { storage.count }

    /// Whether the secret has no bytes.
    public var isEmpty: Bool { storage.isEmpty }

    /// Gives `body` access to the bytes without copying them.
    public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try body(UnsafeRawBufferPointer(storage))
    }

    /// Returns the bytes as text, to send it or to show it to the user who asked for it.
    ///
    /// Invalid UTF-8 is replaced, so use ``withBytes(_:)`` for keys.
    public func reveal() -> String {
        withBytes { String(decoding: $0, as: UTF8.self) }
    }
}

extension Secret: Equatable {
    /// Compares in a time that depends only on the lengths.
    public static func == (left: Secret, right: Secret) -> Bool {
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        for index in 0..<left.count { difference |= left.storage[index] ^ right.storage[index] }
        return difference == 0
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A placeholder; never the content.
    public var description: String { "[secret]" }
    /// A placeholder; never the content.
    public var debugDescription: String { "[secret]" }
    /// A mirror without children, so that `dump` shows no content.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
