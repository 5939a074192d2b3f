import AuthModel

/// An unsigned JWT, which faults can change.
struct TokenDraft: Sendable {
    /// The key and method to sign with.
    enum Signer: Equatable, Sendable {
        /// The provider's key for this algorithm.
        case own(SandboxConfiguration.SigningAlgorithm)
        /// The provider's RSA key, with PSS padding.
        case ownPSS
        /// The provider's encryption key.
        case encryptionKey
        /// A key of the same type that the provider never published.
        case unpublishedKey(SandboxConfiguration.SigningAlgorithm)
        /// HMAC with the PEM of the provider's public RSA key.
        case hmacWithPublicKey
        /// HMAC with the key that ``KeySetFault/symmetric`` publishes.
        case hmacWithPublishedKey
        /// No key: the signature is empty.
        case unsigned
    }

    /// The change to the finished text.
    enum Finish: Equatable, Sendable {
        case none
        case signatureXored
        case signatureCut
        case twoParts
        case fiveParts
        case padded
        case replaced(String)
    }

    var header: JSONValue
    var claims: JSONValue
    /// The payload, if it is not the claims.
    var payload: String?
    /// The text of the header, if it is not `header`.
    var headerText: String?
    var signer: Signer
    var finish = Finish.none
}

/// Base64 in both alphabets (RFC 4648).
enum Base64 {
    private static let standardAlphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let urlAlphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// Encodes base64url without padding (section 5).
    static func url(_ bytes: some Collection<UInt8>) -> String { encode(Array(bytes), urlAlphabet, padded: false) }

    /// Encodes standard base64 with padding (section 4).
    static func standard(_ bytes: some Collection<UInt8>) -> String { encode(Array(bytes), standardAlphabet, padded: true) }

    private static func encode(_ bytes: [UInt8], _ alphabet: [UInt8], padded: Bool) -> String {
        var out: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.enumerated().reduce(UInt32(0)) { $0 | UInt32($1.element) << (16 - 8 * UInt32($1.offset)) }
            for index in 0...group.count { out.append(alphabet[Int(bits >> (18 - 6 * UInt32(index)) & 63)]) }
            if padded { out += Array(repeating: UInt8(ascii: "="), count: 3 - group.count) }
        }
        return String(decoding: out, as: UTF8.self)
    }

    /// Decodes the standard alphabet, with optional padding; `nil` if the text is invalid.
    static func decodeStandard(_ text: some StringProtocol) -> [UInt8]? {
        decode(text.utf8.reversed().drop(while: { $0 == UInt8(ascii: "=") }).reversed(), standardAlphabet)
    }

    /// Decodes base64url without padding (RFC 7515 section 2); `nil` if the text is invalid.
    static func decodeURL(_ text: some StringProtocol) -> [UInt8]? {
        text.utf8.count % 4 == 1 ? nil : decode(text.utf8, urlAlphabet)
    }

    private static func decode(_ text: some Sequence<UInt8>, _ alphabet: [UInt8]) -> [UInt8]? {
        var out: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for byte in text {
            guard let value = alphabet.firstIndex(of: byte) else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                out.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return out
    }
}
