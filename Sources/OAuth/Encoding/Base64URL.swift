/// base64url without padding, as JOSE and PKCE write it (RFC 7515 section 2).
public enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// The value of each byte of the alphabet; 255 for every other byte.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, byte) in alphabet.enumerated() { values[Int(byte)] = UInt8(value) }
        return values
    }()

    /// Writes `bytes`, without padding.
    public static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var out: [UInt8] = []
        var buffer: UInt32 = 0
        var bits = 0
        for byte in bytes {
            buffer = buffer << 8 | UInt32(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                out.append(alphabet[Int(buffer >> UInt32(bits)) & 0x3F])
            }
            buffer &= (1 << UInt32(bits)) - 1
        }
        if bits > 0 { out.append(alphabet[Int(buffer << UInt32(6 - bits)) & 0x3F]) }
        return String(decoding: out, as: UTF8.self)
    }

    /// Reads text; `nil` for padding, blanks, a foreign character, an impossible length, or a tail whose unused bits are not zero.
    ///
    /// Every value has exactly one spelling, so a token cannot be changed and still mean the same.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var out: [UInt8] = []
        var buffer: UInt32 = 0
        var bits = 0
        for byte in text.utf8 {
            let value = values[Int(byte)]
            guard value != 255 else { return nil }
            buffer = buffer << 6 | UInt32(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                out.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
                buffer &= (1 << UInt32(bits)) - 1
            }
        }
        // Six left-over bits are a lone character; two or four are the tail of a whole byte and must be zero.
        return bits < 6 && buffer == 0 ? out : nil
    }
}
