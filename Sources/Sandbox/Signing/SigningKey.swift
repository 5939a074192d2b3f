import AuthModel
import Crypto
import CryptoExtras

/// A private key, which signs messages.
enum SigningKey: Sendable {
    case rsa(_RSA.Signing.PrivateKey)
    case p256(P256.Signing.PrivateKey)
    case ed25519(Curve25519.Signing.PrivateKey)

    static func make(for algorithm: SandboxConfiguration.SigningAlgorithm) throws -> SigningKey {
        switch algorithm {
        case .rs256: .rsa(try _RSA.Signing.PrivateKey(keySize: .bits2048))
        case .es256: .p256(P256.Signing.PrivateKey())
        case .edDSA: .ed25519(Curve25519.Signing.PrivateKey())
        }
    }

    /// Returns the signature in the format of JWS (RFC 7518 sections 3.3 and 3.4, RFC 8037 section 3.1).
    func signature(of message: [UInt8], padding: _RSA.Signing.Padding = .insecurePKCS1v1_5) throws -> [UInt8] {
        switch self {
        case .rsa(let key): Array(try key.signature(for: SHA256.hash(data: message), padding: padding).rawRepresentation)
        case .p256(let key): Array(try key.signature(for: SHA256.hash(data: message)).rawRepresentation)
        case .ed25519(let key): Array(try key.signature(for: message))
        }
    }

    /// Returns the required members of the public JWK (RFC 7518 section 6, RFC 8037 section 2).
    func publicMembers() throws -> JSONValue {
        switch self {
        case .rsa(let key):
            let numbers = try key.publicKey.getKeyPrimitives()
            return ["kty": "RSA", "n": .string(Base64.url(numbers.modulus)), "e": .string(Base64.url(numbers.publicExponent))]
        case .p256(let key):
            let point = Array(key.publicKey.rawRepresentation)
            return ["kty": "EC", "crv": "P-256", "x": .string(Base64.url(point.prefix(32))), "y": .string(Base64.url(point.suffix(32)))]
        case .ed25519(let key):
            return ["kty": "OKP", "crv": "Ed25519", "x": .string(Base64.url(Array(key.publicKey.rawRepresentation)))]
        }
    }

    /// The public key as PEM, for the attack that uses it as an HMAC key.
    var publicPEM: String {
        switch self {
        case .rsa(let key): key.publicKey.pemRepresentation
        case .p256(let key): key.publicKey.pemRepresentation
        case .ed25519(let key): Base64.standard(Array(key.publicKey.rawRepresentation))
        }
    }
}
