/// A small gzip file that inflates to a large document, encoded by hand because the sandbox has no compressor.
///
/// It is one deflate block with fixed codes (RFC 1951 section 3.2.6): `opening` and one `filler` as literals, then matches of length 258 at
/// distance 1, of 13 bits each, then `closing`.
enum GzipBomb {
    static func make(opening: [UInt8], filler: UInt8, matches: Int, closing: [UInt8]) -> [UInt8] {
        var bits = BitWriter()
        bits.write(1, count: 1)
        bits.write(1, count: 2)
        for byte in opening + [filler] { bits.writeLiteral(byte) }
        for _ in 0..<matches {
            // Length 258 is code 285, distance 1 is code 0.
            bits.writeCode(0b1100_0101, count: 8)
            bits.writeCode(0, count: 5)
        }
        for byte in closing { bits.writeLiteral(byte) }
        bits.writeCode(0, count: 7)
        let deflated = bits.finished

        var sum = Checksum()
        for byte in opening { sum.add(byte) }
        for _ in 0..<(matches * 258 + 1) { sum.add(filler) }
        for byte in closing { sum.add(byte) }
        let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]
        return header + deflated + littleEndian(sum.value) + littleEndian(sum.count)
    }

    private static func littleEndian(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
}

/// Writes bits in deflate's order: from the lowest bit of each byte, codes from their highest bit.
private struct BitWriter {
    private var bytes: [UInt8] = []
    private var pending: UInt8 = 0
    private var used = 0

    mutating func write(_ value: Int, count: Int) {
        for index in 0..<count { write(bit: UInt8(value >> index & 1)) }
    }

    mutating func writeCode(_ code: Int, count: Int) {
        for index in (0..<count).reversed() { write(bit: UInt8(code >> index & 1)) }
    }

    mutating func writeLiteral(_ byte: UInt8) {
        if byte < 144 { writeCode(0x30 + Int(byte), count: 8) } else { writeCode(0x190 + Int(byte) - 144, count: 9) }
    }

    private mutating func write(bit: UInt8) {
        pending |= bit << used
        used += 1
        if used == 8 {
            bytes.append(pending)
            pending = 0
            used = 0
        }
    }

    var finished: [UInt8] { used == 0 ? bytes : bytes + [pending] }
}

/// The CRC-32 of gzip (RFC 1952 section 8), and the length.
private struct Checksum {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
    }

    private var state: UInt32 = 0xFFFF_FFFF
    private(set) var count: UInt32 = 0

    mutating func add(_ byte: UInt8) {
        state = Self.table[Int((state ^ UInt32(byte)) & 0xFF)] ^ state >> 8
        count &+= 1
    }

    var value: UInt32 { state ^ 0xFFFF_FFFF }
}
