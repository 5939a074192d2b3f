internal import AuthModel

extension JSONWebSignature {
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
        for name in ["crit", "jwk", "jku", "x5u", "b64", "zip"] where header[name] != nil { throw .headerNotAllowed(name) }
        let candidates = keys.candidates(algorithm, keyID: keyID)
        if let key = candidates.first(where: { $0.isValid(signature, over: signingInput, algorithm) }) {
            return Verified(claims: unverifiedClaims, algorithm: algorithm, keyID: keyID ?? key.keyID, keyIssuer: key.issuer)
        }
        guard let keyID else { throw .unknownKey(keyID: nil) }
        if !candidates.isEmpty { throw .badSignature }
        let isKnown = keys.unusableKeyIDs.contains(keyID) || keys.keys.contains { $0.keyID == keyID }
        throw isKnown ? .unusableKey : .unknownKey(keyID: keyID)
    }
}
