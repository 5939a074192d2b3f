/// Bytes that are zeroed when the last copy is released. The storage of ``SecretField``.
final class SecretBytes: Sendable {
    // Written by its single owner before it is shared; only `deinit` zeroes it.
    private nonisolated(unsafe) let storage: UnsafeMutableRawBufferPointer

    var count: Int { storage.count }

    init(copying parts: [UnsafeRawBufferPointer]) {
        storage = .allocate(byteCount: parts.reduce(0) { $0 + $1.count }, alignment: 1)
        var offset = 0
        for part in parts {
            UnsafeMutableRawBufferPointer(rebasing: storage[offset..<(offset + part.count)]).copyMemory(from: part)
            offset += part.count
        }
    }

    deinit {
        SecretBytes.erase(storage)
        storage.deallocate()
    }

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try body(UnsafeRawBufferPointer(storage))
    }

    /// Overwrites memory with zeros. The optimiser cannot remove it, because it does not see into this function.
    @inline(never)
    @_optimize(none)
    static func erase(_ bytes: UnsafeMutableRawBufferPointer) {
        for index in bytes.indices { bytes[index] = 0 }
    }
}
