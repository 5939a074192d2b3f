/// base64url without padding, as in JOSE and PKCE (RFC 7515 section 2).
public enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// The value of each byte of the alphabet; 255 for all other bytes.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, byte) in alphabet.enumerated() { values[Int(byte)] = UInt8(value) }
        return values
    }()

    /// Encodes `bytes` without padding.
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

    /// Decodes text; returns `nil` for padding, whitespace, an invalid character, an impossible length, or nonzero unused bits at the end.
    ///
    /// Each value has exactly one encoding, so an altered token never decodes to the same value.
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
        // Six remaining bits are a lone character. Two or four are unused bits and must be zero.
        return bits < 6 && buffer == 0 ? out : nil
    }
}

/// Standard base64 with padding, for Basic authentication (RFC 7617) and PEM (RFC 7468).
package enum Base64 {
    /// Encodes `bytes`.
    package static func encode(_ bytes: [UInt8]) -> String {
        let text = Base64URL.encode(bytes)
        let standard = text.utf8.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "+") : $0 == UInt8(ascii: "_") ? UInt8(ascii: "/") : $0 }
        return String(decoding: standard, as: UTF8.self) + String(repeating: "=", count: (4 - standard.count % 4) % 4)
    }

    /// Decodes text without whitespace; returns `nil` for wrong padding, an invalid character or nonzero unused bits at the end.
    package static func decode(_ text: String) -> [UInt8]? {
        let isForeign: (UInt8) -> Bool = { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
        guard text.utf8.count % 4 == 0, !text.utf8.contains(where: isForeign) else { return nil }
        let padding = text.utf8.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        guard padding <= 2 else { return nil }
        let bytes = text.utf8.dropLast(padding).map {
            $0 == UInt8(ascii: "+") ? UInt8(ascii: "-") : $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0
        }
        return Base64URL.decode(String(decoding: bytes, as: UTF8.self))
    }
}
