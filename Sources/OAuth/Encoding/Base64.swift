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
