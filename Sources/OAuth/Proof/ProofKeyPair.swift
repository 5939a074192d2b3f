public import AuthModel
internal import Crypto

/// The key that a session's tokens are bound to (RFC 9449): P-256, for ES256. One session, one key; it lives as long as the session.
///
/// It has no description; a dump shows its public half at most.
public struct ProofKeyPair: Sendable {
    private let key: P256.Signing.PrivateKey

    /// Makes a key from 256 bits of the generator.
    ///
    /// - Parameter generator: a cryptographically secure one.
    public init(using generator: inout some RandomNumberGenerator) {
        while true {
            // One in 2^32 numbers is none of the curve's.
            if let key = try? P256.Signing.PrivateKey(rawRepresentation: FreshValue.bytes(using: &generator)) {
                self.key = key
                return
            }
        }
    }

    /// Reads a key that ``privateKey`` gave; `nil` when it is none.
    public init?(privateKey: Secret) {
        guard let bytes = Base64URL.decode(privateKey.reveal()), let key = try? P256.Signing.PrivateKey(rawRepresentation: bytes) else {
            return nil
        }
        self.key = key
    }

    /// The private key in base64url (`d` of RFC 7518 section 6.2.2), for keeping under seal.
    public var privateKey: Secret { Secret(Base64URL.encode(key.rawRepresentation)) }

    /// The public half as a JWK (RFC 7517), with the members that its thumbprint is made of, in their order (RFC 7638
    /// section 3.2).
    public var publicKey: JSONValue {
        let point = Array(key.publicKey.rawRepresentation)
        return [
            "crv": "P-256", "kty": "EC", "x": .string(Base64URL.encode(point.prefix(32))), "y": .string(Base64URL.encode(point.suffix(32))),
        ]
    }

    /// The thumbprint of the public half (RFC 7638), as `dpop_jkt` and `cnf.jkt` have it.
    public var thumbprint: String { Base64URL.encode(SHA256.hash(data: Array(publicKey.text.utf8))) }

    /// The signature over `input`, R and S side by side (RFC 7518 section 3.4).
    func signature(over input: [UInt8]) throws(OAuthError) -> [UInt8] {
        guard let signature = try? key.signature(for: input) else { throw OAuthError(.proof, .misconfigured("the proof key cannot sign")) }
        return Array(signature.rawRepresentation)
    }
}

extension ProofKeyPair: Equatable {
    /// Compares in constant time.
    public static func == (left: ProofKeyPair, right: ProofKeyPair) -> Bool { left.privateKey == right.privateKey }
}

extension ProofKeyPair: CustomStringConvertible, CustomReflectable {
    /// The thumbprint of its public half.
    public var description: String { "key \(thumbprint)" }
    /// Never the content: a dump shows no children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
