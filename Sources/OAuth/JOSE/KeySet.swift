public import AuthModel
import Crypto
import CryptoExtras

/// The public keys of an issuer (RFC 7517 section 5).
///
/// Keys that are of an unknown type, for encryption, symmetric or too weak are skipped, so that the other keys remain usable.
public struct KeySet: Equatable, Sendable {
    /// The document as it was read, for caching.
    public let document: JSONValue
    /// The host that the keys came from.
    public let host: String?
    /// The URL that the keys came from, which a token may name (`jku`); `nil` if no token may.
    public let location: WebURL?
    let keys: [VerificationKey]
    /// The identifiers of keys that are present but must not be used.
    let unusableKeyIDs: Set<String>

    /// The maximum number of keys to read. Real issuers have fewer.
    static let maximumCount = 100

    /// Builds the request for the key set.
    public static func request(_ metadata: ProviderMetadata) throws(OAuthError) -> WebRequest {
        guard let url = metadata.keysEndpoint else {
            throw OAuthError(.signingKeys, .noEndpoint("jwks_uri"), host: metadata.issuer?.url.origin.authority)
        }
        return WebRequest(method: .get, url: url, headers: [("Accept", "application/jwk-set+json, application/json")])
    }

    /// Reads the response from `location`. An empty set is accepted and verifies nothing.
    public init(_ response: WebResponse, from location: WebURL, now: Timestamp) throws(OAuthError) {
        let host = location.origin.authority
        try response.requireSuccess(.signingKeys, host: host, now: now)
        try self.init(document: try ResponseReader(response, .signingKeys, host: host).object, host: host, location: location)
    }

    /// Reads a kept key set, or one embedded in another document.
    public init(document: JSONValue, host: String?, location: WebURL? = nil) throws(OAuthError) {
        guard let list = document["keys"] else { throw OAuthError(.signingKeys, .missingMember("keys"), host: host) }
        guard let entries = list.array else {
            throw OAuthError(.signingKeys, .wrongMember("keys", expected: UserMessage("phrase.expected_array")), host: host)
        }
        var keys: [VerificationKey] = []
        var unusable: Set<String> = []
        for entry in entries.prefix(Self.maximumCount) {
            if let key = VerificationKey(entry) {
                keys.append(key)
            } else if let keyID = entry["kid"]?.string {
                unusable.insert(keyID)
            }
        }
        self.document = document
        self.host = host
        self.location = location
        self.keys = keys
        unusableKeyIDs = unusable
    }

    /// Returns the keys that may have made the signature: of a type that the algorithm needs, and with the given identifier, if any.
    func candidates(_ algorithm: SignatureAlgorithm, keyID: String?) -> [VerificationKey] {
        keys.filter { $0.fits(algorithm) && (keyID == nil || $0.keyID?.hasSameBytes(as: keyID ?? "") == true) }
    }

    /// Compares the documents and where they came from.
    public static func == (left: KeySet, right: KeySet) -> Bool {
        left.document == right.document && left.host == right.host && left.location == right.location
    }
}

extension VerificationKey {
    /// Parses a JWK (RFC 7517 section 4, RFC 7518 section 6, RFC 8037 section 2); returns `nil` if it is not a usable verification key.
    init?(_ entry: JSONValue) {
        guard entry.members != nil, let kind = entry["kty"]?.string else { return nil }
        // Null counts as absent, as in all documents.
        func member(_ name: String) -> JSONValue? { entry[name] == .null ? nil : entry[name] }
        if let use = member("use"), use.string != "sig" { return nil }
        // Some publish a key with what its private half is for.
        if let operations = member("key_ops"), operations.strings?.contains(where: ["verify", "sign"].contains) != true { return nil }
        if let keyID = member("kid"), keyID.string == nil { return nil }
        if let algorithm = member("alg"), algorithm.string == nil { return nil }
        // Older servers write numbers in plain base64. The key only verifies, so its spelling does not matter.
        func bytes(_ name: String) -> [UInt8]? {
            guard var text = entry[name]?.string?.replacing("+", with: "-").replacing("/", with: "_") else { return nil }
            if text.hasSuffix("==") { text.removeLast(2) } else if text.hasSuffix("=") { text.removeLast() }
            return Base64URL.decode(text)
        }
        func point(_ size: Int) -> [UInt8]? {
            guard let x = bytes("x"), let y = bytes("y"), x.count == size, y.count == size else { return nil }
            return [0x04] + x + y
        }
        let material: Material?
        switch (kind, entry["crv"]?.string) {
        case ("RSA", _):
            guard let modulus = bytes("n"), let exponent = bytes("e") else { return nil }
            material = RSAPublicKey(modulus: modulus, exponent: exponent).map(Material.rsa)
        case ("EC", "P-256"): material = point(32).flatMap { try? P256.Signing.PublicKey(x963Representation: $0) }.map(Material.p256)
        case ("EC", "P-384"): material = point(48).flatMap { try? P384.Signing.PublicKey(x963Representation: $0) }.map(Material.p384)
        case ("EC", "P-521"): material = point(66).flatMap { try? P521.Signing.PublicKey(x963Representation: $0) }.map(Material.p521)
        case ("OKP", "Ed25519"):
            guard let x = bytes("x"), Ed25519KeyCheck.isUsable(x) else { return nil }
            material = (try? Curve25519.Signing.PublicKey(rawRepresentation: x)).map(Material.ed25519)
        default: material = nil
        }
        guard let material else { return nil }
        self.init(material: material, keyID: entry["kid"]?.string, algorithm: entry["alg"]?.string, issuer: entry["issuer"]?.string)
    }
}

/// A public key that verifies signatures.
struct VerificationKey: Sendable {
    /// The key material by type.
    enum Material: Sendable {
        case rsa(RSAPublicKey)
        case p256(P256.Signing.PublicKey)
        case p384(P384.Signing.PublicKey)
        case p521(P521.Signing.PublicKey)
        case ed25519(Curve25519.Signing.PublicKey)
    }

    let material: Material
    let keyID: String?
    /// The only permitted algorithm of the key; `nil` if the key set does not restrict it.
    let algorithm: String?
    /// The only issuer of the key, as some providers with tenants name it; `nil` for every issuer of the key set.
    var issuer: String?

    /// Returns whether the key has the type and purpose that `wanted` needs.
    func fits(_ wanted: SignatureAlgorithm) -> Bool {
        if let algorithm, algorithm != wanted.rawValue, !(Self.isEd25519(algorithm) && Self.isEd25519(wanted.rawValue)) { return false }
        return switch (material, wanted) {
        case (.rsa, .rs256), (.rsa, .rs384), (.rsa, .rs512), (.rsa, .ps256), (.rsa, .ps384), (.rsa, .ps512): true
        case (.p256, .es256), (.p384, .es384), (.p521, .es512), (.ed25519, .edDSA), (.ed25519, .ed25519): true
        default: false
        }
    }

    private static func isEd25519(_ name: String) -> Bool { name == "EdDSA" || name == "Ed25519" }

    /// Returns whether the key made `signature` for `input`. ECDSA signatures are R followed by S (RFC 7518 section 3.4).
    func isValid(_ signature: [UInt8], over input: [UInt8], _ algorithm: SignatureAlgorithm) -> Bool {
        guard fits(algorithm) else { return false }
        switch material {
        case .rsa(let key): return key.isValid(signature, over: input, algorithm)
        case .p256(let key):
            return (try? P256.Signing.ECDSASignature(rawRepresentation: signature)).map { key.isValidSignature($0, for: input) } ?? false
        case .p384(let key):
            return (try? P384.Signing.ECDSASignature(rawRepresentation: signature)).map { key.isValidSignature($0, for: input) } ?? false
        case .p521(let key):
            return (try? P521.Signing.ECDSASignature(rawRepresentation: signature)).map { key.isValidSignature($0, for: input) } ?? false
        case .ed25519(let key): return key.isValidSignature(signature, for: input)
        }
    }
}

/// An RSA key of at least 2048 bits (RFC 7518 section 3.3).
struct RSAPublicKey: Sendable {
    /// The accepted key sizes. Larger keys are too expensive to verify with.
    static let allowedBits = 2048...8192
    private let key: _RSA.Signing.PublicKey

    /// Creates a key; returns `nil` if it is invalid, too small or too large.
    init?(modulus: [UInt8], exponent: [UInt8]) {
        let modulus = Array(modulus.drop { $0 == 0 })
        guard let first = modulus.first else { return nil }
        let bits = modulus.count * 8 - first.leadingZeroBitCount
        // With an exponent of 1, every message would be its own signature.
        let exponent = Array(exponent.drop { $0 == 0 })
        guard Self.allowedBits.contains(bits), let last = exponent.last, last & 1 == 1, exponent != [1], exponent.count <= 8,
            let key = try? _RSA.Signing.PublicKey(n: modulus, e: exponent)
        else { return nil }
        self.key = key
    }

    func isValid(_ signature: [UInt8], over input: [UInt8], _ algorithm: SignatureAlgorithm) -> Bool {
        let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
        return switch algorithm {
        case .rs256: key.isValidSignature(signature, for: SHA256.hash(data: input), padding: .insecurePKCS1v1_5)
        case .rs384: key.isValidSignature(signature, for: SHA384.hash(data: input), padding: .insecurePKCS1v1_5)
        case .rs512: key.isValidSignature(signature, for: SHA512.hash(data: input), padding: .insecurePKCS1v1_5)
        case .ps256: key.isValidSignature(signature, for: SHA256.hash(data: input), padding: .PSS)
        case .ps384: key.isValidSignature(signature, for: SHA384.hash(data: input), padding: .PSS)
        case .ps512: key.isValidSignature(signature, for: SHA512.hash(data: input), padding: .PSS)
        default: false
        }
    }
}
