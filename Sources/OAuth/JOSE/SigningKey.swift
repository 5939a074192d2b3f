public import AuthModel
import Crypto
import CryptoExtras

/// The private key of a client, for signing assertions (RFC 7523): RSA with at least 2048 bits, P-256, P-384, P-521 or Ed25519.
public struct SigningKey: Sendable {
    private enum Material: Sendable {
        case rsa(_RSA.Signing.PrivateKey)
        case p256(P256.Signing.PrivateKey)
        case p384(P384.Signing.PrivateKey)
        case p521(P521.Signing.PrivateKey)
        case ed25519(Curve25519.Signing.PrivateKey)
    }

    private let material: Material
    /// The identifier of the key (`kid`) at the provider, if it needs one.
    public let keyID: String?

    /// Reads an unencrypted PEM file: PKCS #8, SEC 1 (`EC PRIVATE KEY`) or PKCS #1 (`RSA PRIVATE KEY`). Other contents of the file, such as
    /// certificates and curve parameters, are skipped.
    ///
    /// - Throws: ``OAuthError`` that describes the problem without the contents of the file.
    public init(pem: Secret, keyID: String? = nil) throws(OAuthError) {
        func unusable(_ text: UserMessage) -> OAuthError {
            OAuthError(.clientAuthentication, .misconfigured(UserMessage("key.client_key_unusable", ["reason": text])))
        }
        guard let block = pem.withBytes({ PEMBlock.privateKey(in: Array($0)) }) else {
            throw unusable(UserMessage("phrase.key_not_pem_private_key"))
        }
        if block.isEncrypted { throw unusable(UserMessage("phrase.key_encrypted_unsupported")) }
        guard let material = Self.material(block) else {
            throw unusable(UserMessage("phrase.key_type_not_supported"))
        }
        self.material = material
        self.keyID = keyID
    }

    /// Identifies the key type by its object identifier instead of by trial, because the library accepts any key of the right length for a
    /// curve: secp256k1 as P-256, and X25519 as Ed25519.
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

    /// The algorithms that this key supports, preferred first.
    private var algorithms: [SignatureAlgorithm] {
        switch material {
        case .rsa: [.ps256, .ps384, .ps512, .rs256, .rs384, .rs512]
        case .p256: [.es256]
        case .p384: [.es384]
        case .p521: [.es512]
        case .ed25519: [.edDSA, .ed25519]
        }
    }

    /// Returns the algorithm to sign with; `nil` if the provider accepts none of this key's algorithms.
    ///
    /// - Parameter announced: the algorithms that the provider accepts; `nil` if it does not say.
    func algorithm(announced: [String]?) -> SignatureAlgorithm? {
        // Of servers that announce nothing, most verify RS256 (OpenID Connect Core section 9 recommends it), and fewer PS256.
        guard let announced else { return algorithms.contains(.rs256) ? .rs256 : algorithms.first }
        return algorithms.first { announced.contains($0.rawValue) }
    }

    /// Returns the signature of `input` in the format of RFC 7518 section 3.
    func signature(over input: [UInt8], _ algorithm: SignatureAlgorithm) throws(OAuthError) -> [UInt8] {
        if let signature = try? made(input, algorithm) { return signature }
        throw OAuthError(
            .clientAuthentication, .misconfigured(UserMessage("key.client_key_cannot_sign_with", ["algorithm": algorithm.rawValue])))
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
    /// The type of the key, without the key itself.
    public var description: String { "key for \(algorithms.map(\.rawValue).joined(separator: ", "))" }
    /// A mirror without children, so that `dump` shows no key.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// One block of a PEM file (RFC 7468).
public struct PEMBlock {
    /// The text after BEGIN: `PRIVATE KEY`.
    let label: String
    let contents: [UInt8]
    /// Whether the block is encrypted with a passphrase, as PKCS #8 or in the older format.
    public let isEncrypted: Bool

    /// Returns the first complete block of `file` with a private key; `nil` if there is none.
    public static func privateKey(in file: [UInt8]) -> PEMBlock? {
        guard file.count <= 1 << 16 else { return nil }
        // Other tools may write text in any encoding between the blocks.
        let text = String(decoding: file, as: UTF8.self)
        var label: String?
        var lines: [Substring] = []
        for line in text.split(whereSeparator: \.isNewline) {
            let line = line.trimmingWhitespace()
            if line.hasPrefix("-----BEGIN "), line.hasSuffix("PRIVATE KEY-----") {
                label = String(line.dropFirst("-----BEGIN ".count).dropLast("-----".count))
                lines = []
            } else if let label {
                if line == "-----END \(label)-----" { return PEMBlock(label: label, lines: lines) }
                lines.append(Substring(line))
            }
        }
        return nil
    }

    private init?(label: String, lines: [Substring]) {
        self.label = label
        // Headers inside a block belong to the older encryption format (RFC 1421 section 4.6).
        isEncrypted = label.hasPrefix("ENCRYPTED") || lines.contains { $0.contains(":") }
        guard let contents = isEncrypted ? [] : Base64.decode(lines.joined()) else { return nil }
        self.contents = contents
    }
}
