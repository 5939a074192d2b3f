/// Leaves parts out of a text, from its end to its beginning, in one pass.
struct TOMLRemoval {
    private let bytes: [UInt8]
    /// What is kept behind `end`, the last byte first.
    private var kept: [UInt8] = []
    /// What comes before it was not looked at yet.
    private var end: Int
    /// How many bytes were copied or looked at.
    private(set) var effort = 0

    init(from bytes: [UInt8]) {
        self.bytes = bytes
        end = bytes.count
        kept.reserveCapacity(bytes.count)
    }

    /// Leaves a range out, which ends before the last one begins.
    ///
    /// - Parameter withComma: it is a key between braces, and the comma behind it goes too, or else the one before it.
    mutating func remove(_ range: Range<Int>, withComma: Bool) {
        keep(to: range.upperBound)
        end = range.lowerBound
        guard withComma, !dropCommaBehind() else { return }
        let before = bytes[..<end].lastIndex { !Self.isBlank($0) }
        effort += end - (before ?? 0)
        if let before, bytes[before] == UInt8(ascii: ",") { end = before }
    }

    /// What is left.
    mutating func finish() -> [UInt8] {
        keep(to: 0)
        return kept.reversed()
    }

    private mutating func keep(to start: Int) {
        guard start < end else { return }
        kept.append(contentsOf: bytes[start..<end].reversed())
        effort += end - start
        end = start
    }

    /// Drops a comma that comes next, with the blanks around it; whether there was one.
    private mutating func dropCommaBehind() -> Bool {
        let next = kept.lastIndex { !Self.isBlank($0) }
        effort += kept.count - (next ?? 0)
        guard let comma = next, kept[comma] == UInt8(ascii: ",") else { return false }
        kept.removeSubrange(comma...)
        while let next = kept.last, Self.isBlank(next) { kept.removeLast() }
        return true
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}
