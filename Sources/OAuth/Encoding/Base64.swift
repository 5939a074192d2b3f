/// Plain base64 with padding, for the Basic scheme (RFC 7617).
enum Base64 {
    /// Writes `bytes`.
    static func encode(_ bytes: [UInt8]) -> String {
        let text = Base64URL.encode(bytes)
        let standard = text.utf8.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "+") : $0 == UInt8(ascii: "_") ? UInt8(ascii: "/") : $0 }
        return String(decoding: standard, as: UTF8.self) + String(repeating: "=", count: (4 - standard.count % 4) % 4)
    }
}
