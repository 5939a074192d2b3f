public import AuthModel
internal import Crypto

/// The key that a session's tokens are bound to (RFC 9449): P-256, for ES256. Each session has its own key for its whole lifetime.
///
/// A description or dump shows at most the public key.
public struct ProofKeyPair: Sendable {
    private let key: P256.Signing.PrivateKey

    /// Generates a key from 256 random bits.
    ///
    /// - Parameter generator: a cryptographically secure generator.
    public init(using generator: inout some RandomNumberGenerator) {
        while true {
            // One in 2^32 numbers is not a valid key of the curve.
            if let key = try? P256.Signing.PrivateKey(rawRepresentation: RandomValue.bytes(using: &generator)) {
                self.key = key
                return
            }
        }
    }

    /// Reads a key from ``privateKey``; returns `nil` if it is invalid.
    public init?(privateKey: Secret) {
        guard let bytes = Base64URL.decode(privateKey.reveal()), let key = try? P256.Signing.PrivateKey(rawRepresentation: bytes) else {
            return nil
        }
        self.key = key
    }

    /// The private key in base64url (`d` of RFC 7518 section 6.2.2), for sealed storage.
    public var privateKey: Secret { Secret(Base64URL.encode(key.rawRepresentation)) }

    /// The public key as a JWK (RFC 7517), with the members of its thumbprint in order (RFC 7638 section 3.2).
    public var publicKey: JSONValue {
        let point = Array(key.publicKey.rawRepresentation)
        return [
            "crv": "P-256", "kty": "EC", "x": .string(Base64URL.encode(point.prefix(32))), "y": .string(Base64URL.encode(point.suffix(32))),
        ]
    }

    /// The thumbprint of the public key (RFC 7638), as in `dpop_jkt` and `cnf.jkt`.
    public var thumbprint: String { Base64URL.encode(SHA256.hash(data: Array(publicKey.text.utf8))) }

    /// Returns the signature of `input`: R followed by S (RFC 7518 section 3.4).
    func signature(over input: [UInt8]) throws(OAuthError) -> [UInt8] {
        guard let signature = try? key.signature(for: input) else {
            throw OAuthError(.proof, .misconfigured(UserMessage("key.proof_key_cannot_sign")))
        }
        return Array(signature.rawRepresentation)
    }
}

extension ProofKeyPair: Equatable {
    /// Compares in constant time.
    public static func == (left: ProofKeyPair, right: ProofKeyPair) -> Bool { left.privateKey == right.privateKey }
}

extension ProofKeyPair: CustomStringConvertible, CustomReflectable {
    /// The thumbprint of the public key.
    public var description: String { "key \(thumbprint)" }
    /// A mirror without children, so that `dump` shows no key.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
