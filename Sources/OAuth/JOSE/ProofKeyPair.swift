public import AuthModel
import Crypto

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

extension WebRequest {
    /// Returns the request with a new DPoP proof (RFC 9449 section 4.2), which replaces any existing one.
    ///
    /// Every request needs a new proof, including a retry, because each proof has its own `jti`.
    ///
    /// - Parameters:
    ///   - accessToken: the token sent with the request, for resources only (`ath`).
    ///   - nonce: the newest nonce of the server, from ``ProofNonces``.
    ///   - now: the time (`iat`).
    ///   - generator: a cryptographically secure generator.
    public func proved(
        by key: ProofKeyPair, accessToken: Secret? = nil, nonce: String? = nil, now: Timestamp,
        using generator: inout some RandomNumberGenerator
    ) throws(OAuthError) -> WebRequest {
        let header: JSONValue = ["typ": "dpop+jwt", "alg": "ES256", "jwk": key.publicKey]
        var claims: [JSONValue.Member] = [
            .init("jti", .string(Base64URL.encode(RandomValue.bytes(using: &generator)))), .init("htm", .string(method.rawValue)),
            .init("htu", .string(url.withoutQueryAndFragment)), .init("iat", .number(now.seconds)),
        ]
        if let accessToken {
            claims.append(.init("ath", .string(accessToken.withBytes { Base64URL.encode(SHA256.hash(data: $0)) })))
        }
        if let nonce { claims.append(.init("nonce", .string(nonce))) }
        let proof = try JSONWebSignature.compact(header: header, claims: claims, sign: key.signature(over:))
        var request = self
        request.headers.removeAll { $0.name.asciiLowercased() == "dpop" }
        request.headers.append(("DPoP", proof))
        return request
    }
}

extension WebURL {
    /// The target URI without query and fragment, with scheme and host in lower case, without a default port, and with `/` for an empty
    /// path (RFC 9449 section 4.2 with RFC 3986 section 6.2.3), as it is sent.
    var withoutQueryAndFragment: String { origin.description + (path.isEmpty ? "/" : path) }
}

/// Decides whether tokens are bound to a key (RFC 9449).
public enum ProofOfPossession {
    /// The only proof algorithm that this library uses, because P-256 is universally supported.
    public static let algorithm = SignatureAlgorithm.es256

    /// Returns whether requests to this provider carry proofs: only if the configuration requires it, even if the provider announces
    /// nothing.
    ///
    /// If proofs are sent, accept only bound tokens (`requiresProof` of ``TokenResponse``), because a Bearer token would be a downgrade
    /// (section 5).
    ///
    /// - Throws: ``OAuthError`` if proofs are required and the provider announces only other algorithms.
    public static func isUsed(_ mode: ProofMode, at metadata: ProviderMetadata) throws(OAuthError) -> Bool {
        guard mode == .required else { return false }
        if let algorithms = metadata.proofAlgorithms, !algorithms.contains(algorithm.rawValue) {
            throw OAuthError(
                .proof, .misconfigured(UserMessage("token.dpop_es256_not_accepted")),
                host: metadata.issuer?.url.origin.authority)
        }
        return true
    }
}

/// The newest DPoP nonce of each server (RFC 9449 section 8), stored by origin and separately for authorization servers and resource
/// servers.
///
/// Pass it every response to a request with a proof, including successful ones (section 8.2).
public struct ProofNonces: Equatable, Sendable {
    /// The role of a server. One origin may have both roles, with a nonce for each.
    public enum Role: Hashable, Sendable {
        /// The token endpoint and similar endpoints, such as for pushed requests and revocation.
        case authorizationServer
        /// Any server that receives an access token, including the UserInfo endpoint.
        case resourceServer
    }

    private struct Place: Hashable, Sendable {
        let origin: Origin
        let role: Role
    }

    private var newest: [Place: String] = [:]

    /// The maximum length of a nonce. A longer one would make a header that servers refuse.
    public static let maximumLength = 1024

    /// Creates an empty set.
    public init() {}

    /// Returns the nonce for a proof to `url`; `nil` if the server sent none.
    public func nonce(for url: WebURL, as role: Role) -> String? { newest[Place(origin: url.origin, role: role)] }

    /// Stores the nonce of a response, and returns it if the request must be repeated.
    ///
    /// - Parameters:
    ///   - request: the request of the response.
    ///   - isRetry: whether the request is already a retry. There is only one retry.
    /// - Returns: the nonce for the new proof; `nil` if the response is final.
    public mutating func retryNonce(
        after response: WebResponse, to request: WebRequest, as role: Role, isRetry: Bool
    ) -> String? {
        guard let nonce = Self.nonce(of: response) else { return nil }
        newest[Place(origin: request.url.origin, role: role)] = nonce
        return !isRetry && Self.requiresNonce(response, role) ? nonce : nil
    }

    /// Returns the nonce of a response; `nil` if there is none, more than one, or an invalid one.
    private static func nonce(of response: WebResponse) -> String? {
        let fields = response.headers.filter { $0.name.asciiLowercased() == "dpop-nonce" }
        guard fields.count == 1, let text = fields.first?.value.trimmingWhitespace(), isNonce(text) else { return nil }
        return text
    }

    /// Returns whether the text is 1*NQCHAR (RFC 9449 section 8.1) and not too long.
    static func isNonce(_ text: String) -> Bool {
        (1...maximumLength).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0 == 0x21 || (0x23...0x5B).contains($0) || (0x5D...0x7E).contains($0) }
    }

    /// Returns whether the response requires a proof with a nonce: section 8 for an authorization server, section 9 for a resource.
    private static func requiresNonce(_ response: WebResponse, _ role: Role) -> Bool {
        switch role {
        case .authorizationServer: [400, 401].contains(response.status) && ServerError(response)?.code == "use_dpop_nonce"
        case .resourceServer:
            response.status == 401 && response.challenges.contains { $0.isProofChallenge && $0["error"] == "use_dpop_nonce" }
        }
    }
}
