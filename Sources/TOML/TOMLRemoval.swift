/// Removes ranges from a text in one pass, from its end to its beginning.
struct TOMLRemoval {
    private let bytes: [UInt8]
    /// The kept bytes after `end`, in reverse order.
    private var kept: [UInt8] = []
    /// The end of the bytes that have not been processed yet.
    private var end: Int
    /// The number of bytes that were copied or inspected.
    private(set) var stepCount = 0

    init(from bytes: [UInt8]) {
        self.bytes = bytes
        end = bytes.count
        kept.reserveCapacity(bytes.count)
    }

    /// Removes a range, which must end before the previously removed one starts.
    ///
    /// - Parameter withComma: whether the range is a key of an inline table. The comma after it is removed too, or else the one before it.
    mutating func remove(_ range: Range<Int>, withComma: Bool) {
        keep(to: range.upperBound)
        end = range.lowerBound
        guard withComma, !dropFollowingComma() else { return }
        let before = bytes[..<end].lastIndex { !Self.isBlank($0) }
        stepCount += end - (before ?? 0)
        if let before, bytes[before] == UInt8(ascii: ",") { end = before }
    }

    /// Returns the remaining bytes.
    mutating func finish() -> [UInt8] {
        keep(to: 0)
        return kept.reversed()
    }

    private mutating func keep(to start: Int) {
        guard start < end else { return }
        kept.append(contentsOf: bytes[start..<end].reversed())
        stepCount += end - start
        end = start
    }

    /// Drops the next comma and the surrounding whitespace; returns whether there was one.
    private mutating func dropFollowingComma() -> Bool {
        let next = kept.lastIndex { !Self.isBlank($0) }
        stepCount += kept.count - (next ?? 0)
        guard let comma = next, kept[comma] == UInt8(ascii: ",") else { return false }
        kept.removeSubrange(comma...)
        while let next = kept.last, Self.isBlank(next) { kept.removeLast() }
        return true
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}
