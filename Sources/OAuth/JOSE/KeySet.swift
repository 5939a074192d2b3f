public import AuthModel
internal import Crypto

/// The public keys of an issuer (RFC 7517 section 5).
///
/// Keys that are of an unknown type, for encryption, symmetric or too weak are skipped, so that the other keys remain usable.
public struct KeySet: Equatable, Sendable {
    /// The document as it was read, for caching.
    public let document: JSONValue
    /// The host that the keys came from.
    public let host: String?
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

    /// Reads the response. An empty set is accepted and verifies nothing.
    public init(_ response: WebResponse, host: String?, now: Timestamp) throws(OAuthError) {
        try response.requireSuccess(.signingKeys, host: host, now: now)
        try self.init(document: try ResponseReader(response, .signingKeys, host: host).object, host: host)
    }

    /// Reads a cached key set, or one embedded in another document.
    public init(document: JSONValue, host: String?) throws(OAuthError) {
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
        self.keys = keys
        unusableKeyIDs = unusable
    }

    /// Returns the keys that may have made the signature: of a type that the algorithm needs, and with the given identifier, if any.
    func candidates(_ algorithm: SignatureAlgorithm, keyID: String?) -> [VerificationKey] {
        keys.filter { $0.fits(algorithm) && (keyID == nil || $0.keyID?.hasSameBytes(as: keyID ?? "") == true) }
    }

    /// Compares the documents and hosts.
    public static func == (left: KeySet, right: KeySet) -> Bool {
        left.document == right.document && left.host == right.host
    }
}

extension VerificationKey {
    /// Parses a JWK (RFC 7517 section 4, RFC 7518 section 6, RFC 8037 section 2); returns `nil` if it is not a usable verification key.
    init?(_ entry: JSONValue) {
        guard entry.members != nil, let kind = entry["kty"]?.string else { return nil }
        if let use = entry["use"], use.string != "sig" { return nil }
        if let operations = entry["key_ops"], operations.strings?.contains("verify") != true { return nil }
        if let keyID = entry["kid"], keyID.string == nil { return nil }
        if let algorithm = entry["alg"], algorithm.string == nil { return nil }
        func bytes(_ name: String) -> [UInt8]? { entry[name]?.string.flatMap { Base64URL.decode($0) } }
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
