import AuthModel
import Crypto
import CryptoExtras
import Synchronization

/// The keys of one provider: three signing keys, one encryption key, and unpublished keys that are in no key set.
struct KeyRing: Sendable {
    /// A symmetric key, published only by ``KeySetFault/symmetric``.
    static let publishedSecret = Array("a key that everybody can read 01".utf8)
    static let publishedSecretID = "symmetric"

    /// The number of this set of keys; part of each key's identifier.
    let generation: Int
    private let keys: [SandboxConfiguration.SigningAlgorithm: SandboxKey]
    /// Held while the ring is in use, so that no other provider signs with its key.
    private let loan: RSAKeyPool.Lease?
    private let encryption: SandboxKey
    private let unpublishedKeys: [SandboxConfiguration.SigningAlgorithm: SandboxKey]
    private let identifierPrefix: String

    /// Creates the keys.
    ///
    /// - Parameter identifierPrefix: distinguishes the identifiers of this provider's keys from another's.
    init(generation: Int, identifierPrefix: String) throws {
        self.generation = generation
        self.identifierPrefix = identifierPrefix
        loan = generation == 1 ? try RSAKeyPool.shared.borrow() : nil
        keys = [
            .rs256: try loan?.key ?? .make(for: .rs256), .es256: try .make(for: .es256), .edDSA: try .make(for: .edDSA),
        ]
        encryption = try .make(for: .es256)
        unpublishedKeys = [.es256: try .make(for: .es256), .edDSA: try .make(for: .edDSA)]
    }

    func next() throws -> KeyRing { try KeyRing(generation: generation + 1, identifierPrefix: identifierPrefix) }

    func identifier(_ algorithm: SandboxConfiguration.SigningAlgorithm) -> String {
        "\(identifierPrefix)-\(algorithm.rawValue.lowercased())-\(generation)"
    }

    var encryptionIdentifier: String { "\(identifierPrefix)-enc-\(generation)" }

    /// Returns the public keys (RFC 7517).
    func publicKeys(_ kind: SandboxConfiguration.KeySet) throws -> [JSONValue] {
        var list: [JSONValue] = []
        for algorithm in SandboxConfiguration.SigningAlgorithm.allCases {
            guard let key = keys[algorithm] else { continue }
            var jwk = try key.publicMembers().setting("kid", .string(identifier(algorithm))).setting("use", "sig")
            if kind == .plain { jwk = jwk.setting("alg", .string(algorithm.rawValue)) }
            list.append(jwk)
        }
        list.append(try encryption.publicMembers().setting("kid", .string(encryptionIdentifier)).setting("use", "enc"))
        return kind == .plain ? list : Self.otherKinds + list
    }

    /// Keys that a client must skip: one of an unknown type, one with an unknown curve and one without an identifier.
    private static let otherKinds: [JSONValue] = [
        ["kty": "MOON", "kid": "moon", "phase": "waning"],
        [
            "kty": "EC", "kid": "k1", "crv": "secp256k1", "x": "eb5mfvncu6xVoGKVzocLBwKb_NstzijZWfKBWxb4F5g",
            "y": "SDradyajxGVdpPv8DhEIqP0XtEimhVQZnEfQj_sQ1Lg",
        ],
        ["kty": "EC", "crv": "P-999", "x": "AA", "y": "AA"],
    ]

    /// Signs a draft and applies its finish.
    func sign(_ draft: TokenDraft) throws -> String {
        if case .replaced(let text) = draft.finish { return text }
        let head = SandboxBase64.url(Array((draft.headerText ?? draft.header.text).utf8))
        let body = SandboxBase64.url(Array((draft.payload ?? draft.claims.text).utf8))
        let message = Array("\(head).\(body)".utf8)
        var signature = try signature(of: message, by: draft.signer)
        switch draft.finish {
        case .none, .replaced: break
        case .signatureXored: signature = signature.map { $0 ^ 0x5A }
        case .signatureCut: signature = []
        case .twoParts: return "\(head).\(body)"
        case .fiveParts: return "\(head).\(body).\(SandboxBase64.url(signature)).AA.AA"
        case .padded: return "\(head)==.\(body)=.\(SandboxBase64.url(signature))=="
        }
        return "\(head).\(body).\(SandboxBase64.url(signature))"
    }

    /// Returns the public part of the unpublished key that signs in place of the provider's key.
    func unpublishedKey(_ algorithm: SandboxConfiguration.SigningAlgorithm) throws -> JSONValue {
        try unpublishedSigningKey(algorithm).publicMembers().setting("kid", "stranger")
    }

    private func unpublishedSigningKey(_ algorithm: SandboxConfiguration.SigningAlgorithm) throws -> SandboxKey {
        try unpublishedKeys[algorithm] ?? RSAKeyPool.shared.unpublishedKey()
    }

    private func signature(of message: [UInt8], by signer: TokenDraft.Signer) throws -> [UInt8] {
        switch signer {
        case .own(let algorithm): return try keys[algorithm]?.signature(of: message) ?? []
        case .ownPSS: return try keys[.rs256]?.signature(of: message, padding: .PSS) ?? []
        case .encryptionKey: return try encryption.signature(of: message)
        case .unpublishedKey(let algorithm): return try unpublishedSigningKey(algorithm).signature(of: message)
        case .hmacWithPublicKey:
            let key = SymmetricKey(data: Array((keys[.rs256]?.publicPEM ?? "").utf8))
            return Array(HMAC<SHA256>.authenticationCode(for: message, using: key))
        case .hmacWithPublishedKey:
            return Array(HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: Self.publishedSecret)))
        case .unsigned: return []
        }
    }
}

/// A private key, which signs messages.
enum SandboxKey: Sendable {
    case rsa(_RSA.Signing.PrivateKey)
    case p256(P256.Signing.PrivateKey)
    case ed25519(Curve25519.Signing.PrivateKey)

    static func make(for algorithm: SandboxConfiguration.SigningAlgorithm) throws -> SandboxKey {
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
            return [
                "kty": "RSA", "n": .string(SandboxBase64.url(numbers.modulus)), "e": .string(SandboxBase64.url(numbers.publicExponent)),
            ]
        case .p256(let key):
            let point = Array(key.publicKey.rawRepresentation)
            return [
                "kty": "EC", "crv": "P-256", "x": .string(SandboxBase64.url(point.prefix(32))),
                "y": .string(SandboxBase64.url(point.suffix(32))),
            ]
        case .ed25519(let key):
            return ["kty": "OKP", "crv": "Ed25519", "x": .string(SandboxBase64.url(Array(key.publicKey.rawRepresentation)))]
        }
    }

    /// The public key as PEM, for the attack that uses it as an HMAC key.
    var publicPEM: String {
        switch self {
        case .rsa(let key): key.publicKey.pemRepresentation
        case .p256(let key): key.publicKey.pemRepresentation
        case .ed25519(let key): SandboxBase64.standard(Array(key.publicKey.rawRepresentation))
        }
    }
}

/// A pool of RSA keys in this process, because creating one takes a good part of a second.
///
/// A key is leased to one provider at a time and returns to the pool when that provider is released, so two running providers never share a
/// key.
final class RSAKeyPool: Sendable {
    static let shared = RSAKeyPool()

    private struct State {
        var free: [SandboxKey] = []
        var unpublishedKey: SandboxKey?
    }

    private let state = Mutex(State())

    /// A leased key; it returns to the pool with the last reference.
    final class Lease: Sendable {
        let key: SandboxKey
        private let stock: RSAKeyPool

        init(key: SandboxKey, stock: RSAKeyPool) {
            self.key = key
            self.stock = stock
        }

        deinit { stock.state.withLock { $0.free.append(key) } }
    }

    func borrow() throws -> Lease {
        let free = state.withLock { $0.free.popLast() }
        return Lease(key: try free ?? .make(for: .rs256), stock: self)
    }

    /// Returns a key that no provider ever publishes.
    func unpublishedKey() throws -> SandboxKey {
        if let key = state.withLock(\.unpublishedKey) { return key }
        let made = try SandboxKey.make(for: .rs256)
        return state.withLock { state in
            let key = state.unpublishedKey ?? made
            state.unpublishedKey = key
            return key
        }
    }
}

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
enum SandboxBase64 {
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
