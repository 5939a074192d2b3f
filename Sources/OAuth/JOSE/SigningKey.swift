public import AuthModel
internal import Crypto
internal import CryptoExtras

/// A client's private key, to sign assertions with (RFC 7523): RSA of at least 2048 bits, P-256, P-384, P-521 or Ed25519.
public struct SigningKey: Sendable {
    private enum Material: Sendable {
        case rsa(_RSA.Signing.PrivateKey)
        case p256(P256.Signing.PrivateKey)
        case p384(P384.Signing.PrivateKey)
        case p521(P521.Signing.PrivateKey)
        case ed25519(Curve25519.Signing.PrivateKey)
    }

    private let material: Material
    /// The name the provider knows the key by (`kid`), where it needs one.
    public let keyID: String?

    /// Reads a PEM file: PKCS #8, SEC 1 (`EC PRIVATE KEY`) or PKCS #1 (`RSA PRIVATE KEY`), not encrypted. What else stands in the file,
    /// such as certificates and curve parameters, is passed over.
    ///
    /// - Throws: ``OAuthError`` that says what is wrong with the file, and nothing of what is in it.
    public init(pem: Secret, keyID: String? = nil) throws(OAuthError) {
        func unusable(_ text: String) -> OAuthError { OAuthError(.clientAuthentication, .misconfigured("the client key \(text)")) }
        guard let block = pem.withBytes({ PEMBlock.privateKey(in: Array($0)) }) else { throw unusable("is no private key in PEM form") }
        if block.isEncrypted { throw unusable("is encrypted, which cannot be read") }
        guard let material = Self.material(block) else {
            throw unusable("is none of RSA with 2048 bits or more, P-256, P-384, P-521, Ed25519")
        }
        self.material = material
        self.keyID = keyID
    }

    /// The kind is told by its object identifier and not by trying: the library takes any key of the right length for its curve, secp256k1
    /// for P-256 and X25519 for Ed25519.
    private static func material(_ block: PEMBlock) -> Material? {
        let contents = block.contents
        func names(_ identifier: [UInt8]) -> Bool { contents.contains([0x06, UInt8(identifier.count)] + identifier) }
        if names([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]) {  // 1.2.840.10045.3.1.7
            return (try? P256.Signing.PrivateKey(derRepresentation: contents)).map(Material.p256)
        }
        if names([0x2B, 0x81, 0x04, 0x00, 0x22]) {  // 1.3.132.0.34
            return (try? P384.Signing.PrivateKey(derRepresentation: contents)).map(Material.p384)
        }
        if names([0x2B, 0x81, 0x04, 0x00, 0x23]) {  // 1.3.132.0.35
            return (try? P521.Signing.PrivateKey(derRepresentation: contents)).map(Material.p521)
        }
        if names([0x2B, 0x65, 0x70]) {  // 1.3.101.112
            return (try? Curve25519.Signing.PrivateKey(derRepresentation: contents)).map(Material.ed25519)
        }
        if block.label == "RSA PRIVATE KEY" || names([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]) {  // 1.2.840.113549.1.1.1
            return (try? _RSA.Signing.PrivateKey(derRepresentation: contents)).map(Material.rsa)
        }
        return nil
    }

    /// The algorithms this key can sign with, the one to be preferred first.
    private var algorithms: [SignatureAlgorithm] {
        switch material {
        case .rsa: [.ps256, .ps384, .ps512, .rs256, .rs384, .rs512]
        case .p256: [.es256]
        case .p384: [.es384]
        case .p521: [.es512]
        case .ed25519: [.edDSA, .ed25519]
        }
    }

    /// The algorithm to sign with; `nil` when the provider takes none of this key's.
    ///
    /// - Parameter announced: what the provider says it takes; `nil` where it does not say.
    func algorithm(announced: [String]?) -> SignatureAlgorithm? {
        guard let announced else { return algorithms.first }
        return algorithms.first { announced.contains($0.rawValue) }
    }

    /// The signature over `input`, in the form of RFC 7518 section 3.
    func signature(over input: [UInt8], _ algorithm: SignatureAlgorithm) throws(OAuthError) -> [UInt8] {
        if let signature = try? made(input, algorithm) { return signature }
        throw OAuthError(.clientAuthentication, .misconfigured("the client key cannot sign with \(algorithm.rawValue)"))
    }

    private func made(_ input: [UInt8], _ algorithm: SignatureAlgorithm) throws -> [UInt8]? {
        switch (material, algorithm) {
        case (.rsa(let key), .ps256): Array(try key.signature(for: SHA256.hash(data: input), padding: .PSS).rawRepresentation)
        case (.rsa(let key), .ps384): Array(try key.signature(for: SHA384.hash(data: input), padding: .PSS).rawRepresentation)
        case (.rsa(let key), .ps512): Array(try key.signature(for: SHA512.hash(data: input), padding: .PSS).rawRepresentation)
        case (.rsa(let key), .rs256): Array(try key.signature(for: SHA256.hash(data: input), padding: .insecurePKCS1v1_5).rawRepresentation)
        case (.rsa(let key), .rs384): Array(try key.signature(for: SHA384.hash(data: input), padding: .insecurePKCS1v1_5).rawRepresentation)
        case (.rsa(let key), .rs512): Array(try key.signature(for: SHA512.hash(data: input), padding: .insecurePKCS1v1_5).rawRepresentation)
        case (.p256(let key), .es256): Array(try key.signature(for: input).rawRepresentation)
        case (.p384(let key), .es384): Array(try key.signature(for: input).rawRepresentation)
        case (.p521(let key), .es512): Array(try key.signature(for: input).rawRepresentation)
        case (.ed25519(let key), .edDSA), (.ed25519(let key), .ed25519): Array(try key.signature(for: input))
        default: nil
        }
    }
}

extension SigningKey: CustomStringConvertible, CustomReflectable {
    /// What kind of key it is, and never the key.
    public var description: String { "key for \(algorithms.map(\.rawValue).joined(separator: ", "))" }
    /// Never the content: a dump shows no children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
