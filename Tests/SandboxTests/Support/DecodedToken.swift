import AuthModel
import Crypto
import CryptoExtras

/// A decoded JWT. Its signature is verified as RFC 7515 says, independently of the code that signs.
struct DecodedToken {
    let parts: [String]
    let header: JSONValue?
    let claims: JSONValue?
    let headerText: String
    let payloadText: String

    init(_ token: String) {
        parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        headerText = String(decoding: Self.bytes(parts[0]) ?? [], as: UTF8.self)
        payloadText = parts.count > 1 ? String(decoding: Self.bytes(parts[1]) ?? [], as: UTF8.self) : ""
        header = try? JSONValue(strict: headerText)
        claims = try? JSONValue(strict: payloadText)
    }

    /// Whether one of the keys, chosen by kid, type and use, made the signature.
    func isSigned(byOneOf keys: JSONValue) throws -> Bool {
        guard parts.count == 3, let signature = Self.bytes(parts[2]), let algorithm = header?["alg"]?.string else { return false }
        let message = Array((parts[0] + "." + parts[1]).utf8)
        let kid = header?["kid"]?.string
        let candidates = (keys["keys"]?.array ?? []).filter {
            $0["use"]?.string != "enc" && (kid == nil || $0["kid"]?.string == nil || $0["kid"]?.string == kid)
        }
        return try candidates.contains { key in
            func number(_ name: String) -> [UInt8] { Self.bytes(key[name]?.string ?? "") ?? [] }
            switch (algorithm, key["kty"]?.string, key["crv"]?.string) {
            case ("RS256", "RSA", _), ("PS256", "RSA", _):
                let publicKey = try _RSA.Signing.PublicKey(n: number("n"), e: number("e"))
                return publicKey.isValidSignature(
                    _RSA.Signing.RSASignature(rawRepresentation: signature), for: SHA256.hash(data: message),
                    padding: algorithm == "PS256" ? .PSS : .insecurePKCS1v1_5)
            case ("ES256", "EC", "P-256"):
                let publicKey = try P256.Signing.PublicKey(rawRepresentation: number("x") + number("y"))
                guard signature.count == 64 else { return false }
                return try publicKey.isValidSignature(
                    P256.Signing.ECDSASignature(rawRepresentation: signature), for: SHA256.hash(data: message))
            case ("EdDSA", "OKP", "Ed25519"):
                return try Curve25519.Signing.PublicKey(rawRepresentation: number("x")).isValidSignature(signature, for: message)
            default: return false
            }
        }
    }

    /// Decodes base64url without padding, independently of the code under test.
    static func bytes(_ text: String) -> [UInt8]? {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let digits = text.compactMap { alphabet.firstIndex(of: $0) }
        guard digits.count == text.count, digits.count % 4 != 1 else { return nil }
        var out: [UInt8] = []
        for index in 0..<(digits.count * 6 / 8) {
            let bit = index * 8
            let high = digits[bit / 6] << 12 | digits[bit / 6 + 1] << 6
            let low = bit / 6 + 2 < digits.count ? digits[bit / 6 + 2] : 0
            out.append(UInt8(truncatingIfNeeded: (high | low) >> (10 - bit % 6)))
        }
        return out
    }
}
