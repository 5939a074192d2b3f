/// Checks the bytes of an Ed25519 public key before it is used for verification.
///
/// Keys of small order are refused: with such a key, one signature is valid for many or all messages, because the point is in the subgroup
/// of order 8 (RFC 7748 section 7, RFC 8032 section 5.1.7 with the cofactor). Keys that are not canonically encoded are refused too,
/// because they are a second encoding of another key (RFC 8032 section 5.1.3, step 1).
public enum Ed25519KeyCheck {
    /// Returns whether the bytes can be a public key: 32 bytes, canonical, and not of small order. The verifier checks that they encode a
    /// point.
    public static func isUsable(_ key: [UInt8]) -> Bool {
        guard key.count == 32, let last = key.last else { return false }
        // The y coordinate in little-endian order, without the sign bit of x.
        let y = Array(key.dropLast()) + [last & 0x7F]
        return isBelowPrime(y) && !smallOrder.contains(y)
    }

    /// The y coordinates of the eight points whose order divides 8. Each stands for a point and its negative.
    private static let smallOrder: Set<[UInt8]> = [
        // Order 4.
        [UInt8](repeating: 0, count: 32),
        // Order 1, the neutral element.
        [1] + [UInt8](repeating: 0, count: 31),
        // Order 2: p - 1.
        [0xEC] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
        // Order 8.
        [
            0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F, 0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10, 0x67, 0x0F, 0x2A, 0x20, 0x53, 0xFA, 0x2C,
            0x39,
            0xCC, 0xC6, 0x4E, 0xC7, 0xFD, 0x77, 0x92, 0xAC, 0x03, 0x7A,
        ],
        [
            0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF, 0x98, 0xF0, 0xD5, 0xDF, 0xAC, 0x05, 0xD3,
            0xC6,
            0x33, 0x39, 0xB1, 0x38, 0x02, 0x88, 0x6D, 0x53, 0xFC, 0x05,
        ],
    ]

    /// Returns whether a little-endian number below 2^255 is below p = 2^255 - 19.
    private static func isBelowPrime(_ number: [UInt8]) -> Bool {
        guard number[31] == 0x7F, number[1...30].allSatisfy({ $0 == 0xFF }) else { return true }
        return number[0] < 0xED
    }
}
