internal import OAuth

/// An encrypted message: the length of its plain text, a nonce and the encrypted bytes, the last two in base64, with colons between them.
package struct SealedMessage: Equatable, Sendable {
    /// The nonce, which no other message of the connection has.
    package var nonce: [UInt8]
    /// The authentication tag and the encrypted bytes.
    package var bytes: [UInt8]

    package init(nonce: [UInt8], bytes: [UInt8]) {
        self.nonce = nonce
        self.bytes = bytes
    }

    /// The length of a nonce in base64; it needs no padding.
    private static let nonceLength = 32
    private static let colon = UInt8(ascii: ":")

    /// The length of the whole message that these bytes begin; `nil` if it is not known yet. Throws if they begin none.
    static func length(from bytes: [UInt8]) throws(ProtocolError) -> Int? {
        let digits = bytes.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard digits.count <= 6 else { throw .malformed }
        guard digits.count < bytes.count else { return nil }
        guard bytes[digits.count] == colon, let count = Int(String(decoding: digits, as: UTF8.self)), count < MessageReader.limit else {
            throw .malformed
        }
        return digits.count + 2 + nonceLength + (count + ConnectionCipher.tagLength + 2) / 3 * 4
    }

    /// Reads a message. Its first part is not used, because clients count characters or bytes, and the tag says what the length is.
    package init(wire: [UInt8]) throws(ProtocolError) {
        let parts = wire.split(separator: Self.colon, omittingEmptySubsequences: false)
        guard parts.count == 3, let nonce = Self.decoded(parts[1]), nonce.count == ConnectionCipher.nonceLength,
            let bytes = Self.decoded(parts[2]), bytes.count >= ConnectionCipher.tagLength
        else { throw .malformed }
        self.init(nonce: nonce, bytes: bytes)
    }

    private static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        let end = text.reversed().prefix { [0, 0x0A, 0x0D, 0x20].contains($0) }.count
        return Base64.decode(String(decoding: text.dropLast(end), as: UTF8.self))
    }

    /// The bytes to send.
    package var wire: [UInt8] {
        Array("\(bytes.count - ConnectionCipher.tagLength):\(Base64.encode(nonce)):\(Base64.encode(bytes))".utf8)
    }
}
