import AuthModel
import Crypto
import CryptoExtras

/// A client's public key, which verifies signatures.
enum VerifyingKey: Sendable {
    case rsa(_RSA.Signing.PublicKey)
    case p256(P256.Signing.PublicKey)
    case ed25519(Curve25519.Signing.PublicKey)

    /// The algorithms accepted from clients, for the metadata.
    static let algorithms = ["ES256", "EdDSA", "PS256", "RS256"]

    /// Parses a JWK (RFC 7517); `nil` for a private, symmetric, weak or unknown key.
    init?(jwk: JSONValue) {
        // RFC 9449 section 4.3, step 7: a private key that was sent is compromised.
        guard ["d", "p", "q", "dp", "dq", "qi", "k"].allSatisfy({ jwk[$0] == nil }) else { return nil }
        func number(_ name: String) -> [UInt8]? { jwk[name]?.string.flatMap { SandboxBase64.decodeURL($0) } }
        switch (jwk["kty"]?.string, jwk["crv"]?.string) {
        case ("RSA", _):
            // With an exponent of 1, every message is its own signature.
            guard let n = number("n"), let e = number("e"), n.count >= 256, e.last.map({ $0 & 1 == 1 }) == true,
                e.drop(while: { $0 == 0 }) != [1], let key = try? _RSA.Signing.PublicKey(n: n, e: e)
            else { return nil }
            self = .rsa(key)
        case ("EC", "P-256"):
            guard let x = number("x"), let y = number("y"), x.count == 32, y.count == 32,
                let key = try? P256.Signing.PublicKey(rawRepresentation: x + y)
            else { return nil }
            self = .p256(key)
        case ("OKP", "Ed25519"):
            guard let x = number("x"), Ed25519KeyCheck.isUsable(x), let key = try? Curve25519.Signing.PublicKey(rawRepresentation: x) else {
                return nil
            }
            self = .ed25519(key)
        default: return nil
        }
    }

    /// Returns whether the signature is valid and its algorithm fits the type of the key.
    func isValid(_ signature: [UInt8], for message: [UInt8], algorithm: String) -> Bool {
        switch (self, algorithm) {
        case (.rsa(let key), "RS256"), (.rsa(let key), "PS256"):
            return key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature), for: SHA256.hash(data: message),
                padding: algorithm == "PS256" ? .PSS : .insecurePKCS1v1_5)
        case (.p256(let key), "ES256"):
            guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: SHA256.hash(data: message))
        case (.ed25519(let key), "EdDSA"): return key.isValidSignature(signature, for: message)
        default: return false
        }
    }

    /// Returns the thumbprint of a key (RFC 7638): the hash of its required members in their order.
    static func thumbprint(of jwk: JSONValue) -> String {
        let names =
            ["RSA": ["e", "kty", "n"], "EC": ["crv", "kty", "x", "y"], "OKP": ["crv", "kty", "x"]][jwk["kty"]?.string ?? ""] ?? []
        let members = names.map { JSONValue.Member($0, jwk[$0] ?? .null) }
        return SandboxBase64.url(Array(SHA256.hash(data: Array(JSONValue.object(members).text.utf8))))
    }
}

/// A parsed JWT from a client (RFC 7515 section 3.1).
struct SignedToken: Sendable {
    var header: JSONValue
    var claims: JSONValue
    var message: [UInt8]
    var signature: [UInt8]

    /// Parses a JWT; `nil` unless it has three parts of base64url, of which two are JSON objects.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        func object(_ part: Substring) -> JSONValue? {
            guard let bytes = SandboxBase64.decodeURL(part), let text = String(validating: bytes, as: UTF8.self),
                let value = try? JSONValue(strict: text), value.members != nil
            else { return nil }
            return value
        }
        guard parts.count == 3, let header = object(parts[0]), let claims = object(parts[1]),
            let signature = SandboxBase64.decodeURL(parts[2]),
            header["crit"] == nil
        else { return nil }
        self.header = header
        self.claims = claims
        self.signature = signature
        message = Array("\(parts[0]).\(parts[1])".utf8)
    }

    /// Returns whether the signature was made by `key`, with the algorithm in the header.
    func isSigned(by key: VerifyingKey) -> Bool {
        guard let algorithm = header["alg"]?.string else { return false }
        return key.isValid(signature, for: message, algorithm: algorithm)
    }
}

/// A DPoP proof that matches its request (RFC 9449 section 4.3). Its nonce and reuse are checked elsewhere.
struct PossessionProof: Sendable {
    /// The thumbprint of the proof's key.
    var key: String
    /// The identifier (`jti`).
    var identifier: String
    var nonce: String?
    var issuedAt: Timestamp

    /// The maximum difference between `iat` and this provider's clock, in either direction.
    static let window: Duration = .seconds(300)

    /// Validates a proof, in the order of section 4.3.
    ///
    /// - Parameters:
    ///   - url: the requested URL, without its query.
    ///   - accessToken: the access token sent with the proof; `nil` if there is none.
    init(_ text: String, method: String, url: String, accessToken: String?, now: Timestamp) throws(ErrorReply) {
        func refuse(_ text: String) -> ErrorReply { ErrorReply("invalid_dpop_proof", text) }
        guard let token = SignedToken(text) else { throw refuse("the proof is not a JWT") }
        guard token.header["typ"]?.string == "dpop+jwt" else { throw refuse("typ is not dpop+jwt") }
        guard let algorithm = token.header["alg"]?.string, VerifyingKey.algorithms.contains(algorithm) else {
            throw refuse("alg is not one of dpop_signing_alg_values_supported")
        }
        guard let jwk = token.header["jwk"], let key = VerifyingKey(jwk: jwk) else { throw refuse("jwk is not a public key") }
        guard token.isSigned(by: key) else { throw refuse("the signature was not made with jwk") }
        guard let identifier = token.claims["jti"]?.string, !identifier.isEmpty else { throw refuse("jti is missing") }
        guard token.claims["htm"]?.string == method else { throw refuse("htm is not the method") }
        guard let target = token.claims["htu"]?.string.flatMap({ WebURL($0) }), target.query == nil, target.fragment == nil,
            let asked = WebURL(url), target.origin == asked.origin, target.path == asked.path
        else { throw refuse("htu is not the URL without query and fragment") }
        guard let issued = token.claims["iat"]?.double else { throw refuse("iat is missing") }
        issuedAt = Timestamp(seconds: issued)
        let age = now - issuedAt
        guard age <= Self.window, age >= .zero - Self.window else { throw refuse("iat is too far from the server's time") }
        let hash = accessToken.map { SandboxBase64.url(Array(SHA256.hash(data: Array($0.utf8)))) }
        guard token.claims["ath"]?.string == hash else { throw refuse("ath is not the hash of the access token") }
        self.key = VerifyingKey.thumbprint(of: jwk)
        self.identifier = identifier
        nonce = token.claims["nonce"]?.string
    }
}

/// The proofs and nonces that a provider remembers. The authorization server and the resources have separate records.
struct ProofRecords: Sendable {
    /// The only valid nonce; `nil` before the first one was issued.
    var nonce: String?
    /// The time until which each `jti` is remembered.
    private var seen: [String: Timestamp] = [:]

    /// Records a proof.
    ///
    /// - Returns: Whether it is the first with its identifier.
    mutating func accept(_ proof: PossessionProof, now: Timestamp) -> Bool {
        seen = seen.filter { now < $0.value }
        guard seen[proof.identifier] == nil else { return false }
        seen[proof.identifier] = proof.issuedAt + PossessionProof.window + .seconds(1)
        return true
    }
}
