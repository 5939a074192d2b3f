import AuthModel
import Crypto

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
    init(_ text: String, method: String, url: String, accessToken: String?, now: Timestamp) throws(OAuthError) {
        func refuse(_ text: String) -> OAuthError { OAuthError("invalid_dpop_proof", text) }
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
        let hash = accessToken.map { Base64.url(Array(SHA256.hash(data: Array($0.utf8)))) }
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
