internal import Glibc

/// Bytes that must not leak: a token, a key, a passphrase.
///
/// A secret has no description, no encoding and no hash. Its bytes are zeroed when the last reference goes. Reading it takes a
/// call whose name can be searched for: ``withBytes(_:)`` or ``reveal()``.
public final class Secret: Sendable {
    // Written only by `init`, zeroed only by `deinit`: no two threads can disagree about it.
    private nonisolated(unsafe) let storage: UnsafeMutableRawBufferPointer

    /// Copies `bytes`. The caller remains responsible for the copy it holds.
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

    /// Whether there is nothing in it.
    public var isEmpty: Bool { storage.isEmpty }

    /// Lends the bytes without copying them.
    public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try body(UnsafeRawBufferPointer(storage))
    }

    /// The bytes as text, for the one place that puts them on the wire or hands them to the person who asked.
    ///
    /// Bytes that are not UTF-8 are replaced, so use ``withBytes(_:)`` for keys.
    public func reveal() -> String {
        withBytes { String(decoding: $0, as: UTF8.self) }
    }
}

extension Secret: Equatable {
    /// Compares in a time that depends on the lengths only.
    public static func == (left: Secret, right: Secret) -> Bool {
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        for index in 0..<left.count { difference |= left.storage[index] ^ right.storage[index] }
        return difference == 0
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Never the content.
    public var description: String { "[secret]" }
    /// Never the content.
    public var debugDescription: String { "[secret]" }
    /// Never the content: a dump shows no children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
