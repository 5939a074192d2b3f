import AuthModel
import Crypto
import OAuth

/// The key that the hostile provider publishes. It signs damaged and undamaged tokens with it.
struct ProviderKey: Sendable {
    static let identifier = "hostile-1"
    private let key = P256.Signing.PrivateKey()

    /// The key set (RFC 7517) with this key.
    var document: JSONValue {
        let point = key.publicKey.rawRepresentation
        let member: JSONValue = [
            "kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": .string(Self.identifier),
            "x": .string(Base64URL.encode(point.prefix(32))), "y": .string(Base64URL.encode(point.suffix(32))),
        ]
        return ["keys": [member]]
    }

    static let header: JSONValue = ["alg": "ES256", "kid": .string(identifier), "typ": "JWT"]

    /// Returns a compact JWT with these texts, which need not be valid JSON, and a valid signature.
    func sign(header: String, claims: String) -> String {
        let input = Base64URL.encode(header.utf8) + "." + Base64URL.encode(claims.utf8)
        let signature = try? key.signature(for: Array(input.utf8)).rawRepresentation
        return input + "." + Base64URL.encode(signature.map(Array.init) ?? [])
    }

    /// Verifies a token and returns its claims. Of the code under test it uses only base64url and JSON.
    func verified(_ token: String) -> JSONValue? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Base64URL.decode(parts[0]).flatMap({ try? JSONValue(strict: $0) }),
            header["alg"] == "ES256", header["crit"] == nil,
            let bytes = Base64URL.decode(parts[2]), let signature = try? P256.Signing.ECDSASignature(rawRepresentation: bytes),
            key.publicKey.isValidSignature(signature, for: Array((parts[0] + "." + parts[1]).utf8))
        else { return nil }
        return Base64URL.decode(parts[1]).flatMap { try? JSONValue(strict: $0) }
    }

    /// Returns the claims of a token without verifying it.
    static func claims(of token: String) -> JSONValue? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 3 ? Base64URL.decode(parts[1]).flatMap { try? JSONValue(strict: $0) } : nil
    }

    /// Returns the `at_hash` (OpenID Connect Core section 3.1.3.6) for this key's algorithm.
    static func hash(_ accessToken: String) -> String { Base64URL.encode(Array(SHA256.hash(data: Array(accessToken.utf8))).prefix(16)) }
}
