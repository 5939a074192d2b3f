public import AuthModel
import Crypto

/// A signed JWT in compact form (RFC 7515 section 7.1), strictly parsed but not verified.
///
/// Refuses a number of parts other than three, padding, whitespace and non-canonical base64url, a header or payload that is not a strict
/// JSON object (so without duplicate members), and header members of the wrong type. ``verified(with:allowed:)`` verifies
/// the signature; ``signer(among:announcedAlgorithms:host:)`` does so for showing a token.
public struct JSONWebSignature: Equatable, Sendable {
    /// The JOSE header.
    public let header: JSONValue
    /// The claims, before any verification.
    public let unverifiedClaims: JSONValue
    /// `alg` as written.
    public let algorithm: String
    /// The key identifier (`kid`), if present.
    public let keyID: String?
    /// The type (`typ`), if present.
    public let type: String?
    let signingInput: [UInt8]
    let signature: [UInt8]

    /// The maximum length of a token.
    public static let maximumLength = 1 << 18

    /// Parses a token without verifying it. Throws ``TokenError/encrypted`` for five parts, and ``TokenError/malformed`` for other errors.
    public init(compact text: String) throws(TokenError) {
        guard text.utf8.count <= Self.maximumLength else { throw .malformed }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        if parts.count == 5 { throw .encrypted }
        guard parts.count == 3, let headerBytes = Base64URL.decode(parts[0]), let payload = Base64URL.decode(parts[1]),
            let signature = Base64URL.decode(parts[2]), !headerBytes.isEmpty, !payload.isEmpty,
            let header = try? JSONValue(strict: headerBytes), header.members != nil
        else { throw .malformed }
        guard let algorithm = header["alg"]?.string else { throw .malformed }
        guard let claims = try? JSONValue(strict: payload), claims.members != nil else { throw .malformed }
        keyID = try Self.text("kid", of: header)
        type = try Self.text("typ", of: header)
        self.header = header
        self.algorithm = algorithm
        self.signature = signature
        unverifiedClaims = claims
        signingInput = Array((parts[0] + "." + parts[1]).utf8)
    }

    private static func text(_ name: String, of header: JSONValue) throws(TokenError) -> String? {
        guard let value = header[name], value != .null else { return nil }
        guard let text = value.string else { throw .malformed }
        return text
    }

    /// The algorithm and key of a valid signature.
    public struct Signer: Equatable, Sendable {
        /// The signature algorithm.
        public let algorithm: SignatureAlgorithm
        /// The key identifier; `nil` if the key has none.
        public let keyID: String?
    }

    /// Verifies only the signature. For inspecting a token, never for trusting it.
    ///
    /// - Parameter announcedAlgorithms: the algorithms that the issuer announces; `nil` means RS256.
    public func signer(among keys: KeySet, announcedAlgorithms: [String]?, host: String?) throws(OAuthError) -> Signer {
        do throws(TokenError) {
            let verified = try verified(with: keys, allowed: SignatureAlgorithm.accepted(from: announcedAlgorithms))
            return Signer(algorithm: verified.algorithm, keyID: verified.keyID)
        } catch {
            throw OAuthError(.idToken, .token(error), host: host)
        }
    }

    /// The contents of a token with a valid signature.
    struct Verified {
        let claims: JSONValue
        let algorithm: SignatureAlgorithm
        /// The identifier of the key that verified the signature; `nil` if it has none.
        let keyID: String?
        /// The issuer that the key is for, if the key set says so.
        let keyIssuer: String?
    }

    /// Verifies the signature with the issuer's keys.
    ///
    /// - Parameter allowed: the algorithms that the provider announced, so that the token cannot choose the algorithm (RFC 8725 section
    ///   3.1).
    func verified(with keys: KeySet, allowed: Set<SignatureAlgorithm>) throws(TokenError) -> Verified {
        guard let algorithm = SignatureAlgorithm(rawValue: algorithm), allowed.contains(algorithm) else { throw .algorithmNotAllowed }
        // Keys must come from the issuer's key set (RFC 8725 section 3.10), so a token with its own key is refused. No extension is
        // supported, so none may be critical. `b64` changes the signed data (RFC 7797), and `zip` belongs to encryption.
        for name in ["crit", "jwk", "x5u", "b64", "zip"] where header[name] != nil { throw .headerNotAllowed(name) }
        // Some servers name their key set in each token, such as Cloud Foundry's UAA. Nothing is ever fetched from there.
        if let place = header["jku"] {
            guard let text = place.string, let own = keys.location?.text, text.hasSameBytes(as: own) else { throw .headerNotAllowed("jku") }
        }
        let candidates = keys.candidates(algorithm, keyID: keyID)
        if let key = candidates.first(where: { $0.isValid(signature, over: signingInput, algorithm) }) {
            return Verified(claims: unverifiedClaims, algorithm: algorithm, keyID: keyID ?? key.keyID, keyIssuer: key.issuer)
        }
        guard let keyID else { throw .unknownKey(keyID: nil) }
        if !candidates.isEmpty { throw .badSignature }
        let isKnown = keys.unusableKeyIDs.contains(keyID) || keys.keys.contains { $0.keyID == keyID }
        throw isKnown ? .unusableKey : .unknownKey(keyID: keyID)
    }

    /// Creates a signed JWT in compact form (RFC 7515 section 7.1).
    ///
    /// - Parameter sign: signs the given bytes with the algorithm in `header`.
    static func compact(
        header: JSONValue, claims: [JSONValue.Member], sign: ([UInt8]) throws(OAuthError) -> [UInt8]
    ) throws(OAuthError) -> String {
        let input = Base64URL.encode(header.text.utf8) + "." + Base64URL.encode(JSONValue.object(claims).text.utf8)
        return input + "." + Base64URL.encode(try sign(Array(input.utf8)))
    }
}

/// The supported signature algorithms (RFC 7518 section 3.1, RFC 8037, RFC 9864), all asymmetric.
///
/// `none` and MACs are not included, so no spelling of them is accepted.
public enum SignatureAlgorithm: String, Sendable, CaseIterable {
    case rs256 = "RS256"
    case rs384 = "RS384"
    case rs512 = "RS512"
    case ps256 = "PS256"
    case ps384 = "PS384"
    case ps512 = "PS512"
    case es256 = "ES256"
    case es384 = "ES384"
    case es512 = "ES512"
    /// Ed25519, as named by RFC 8037.
    case edDSA = "EdDSA"
    /// Ed25519, as named by RFC 9864.
    case ed25519 = "Ed25519"

    /// The hash function for `at_hash` (OpenID Connect Core section 3.1.3.6).
    var hash: HashFunctionName {
        switch self {
        case .rs256, .ps256, .es256: .sha256
        case .rs384, .ps384, .es384: .sha384
        case .rs512, .ps512, .es512, .edDSA, .ed25519: .sha512
        }
    }

    /// Returns the algorithms to accept from a provider: the supported ones that it announces; RS256 if it announces none (OpenID Connect
    /// Core section 3.1.3.7, step 7).
    public static func accepted(from announced: [String]?) -> Set<SignatureAlgorithm> {
        guard let announced else { return [.rs256] }
        return Set(announced.compactMap(SignatureAlgorithm.init(rawValue:)))
    }
}

/// The name of a hash function.
enum HashFunctionName: Sendable {
    case sha256
    case sha384
    case sha512

    /// Returns the digest of `bytes`.
    func digest(_ bytes: [UInt8]) -> [UInt8] {
        switch self {
        case .sha256: Array(SHA256.hash(data: bytes))
        case .sha384: Array(SHA384.hash(data: bytes))
        case .sha512: Array(SHA512.hash(data: bytes))
        }
    }
}
