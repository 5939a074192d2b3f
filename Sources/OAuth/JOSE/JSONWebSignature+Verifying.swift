internal import AuthModel

extension JSONWebSignature {
    /// What the signature vouches for.
    struct Verified {
        let claims: JSONValue
        let algorithm: SignatureAlgorithm
        /// The key it was verified with, where it has a name.
        let keyID: String?
    }

    /// Verifies the signature with the issuer's keys.
    ///
    /// - Parameter allowed: what the provider announced, so that a token cannot choose for itself (RFC 8725 section 3.1).
    func verified(with keys: KeySet, allowed: Set<SignatureAlgorithm>) throws(TokenError) -> Verified {
        guard let algorithm = SignatureAlgorithm(rawValue: algorithm), allowed.contains(algorithm) else { throw .algorithmNotAllowed }
        // Keys come from the issuer's key set and from nowhere else (RFC 8725 section 3.10); a token that brings its own is up to
        // something. No extension is understood, so none may be critical; `b64` changes what is signed (RFC 7797), `zip` belongs to
        // encryption.
        for name in ["crit", "jwk", "jku", "x5u", "b64", "zip"] where header[name] != nil { throw .headerNotAllowed(name) }
        let candidates = keys.candidates(algorithm, keyID: keyID)
        if let key = candidates.first(where: { $0.isValid(signature, over: signingInput, algorithm) }) {
            return Verified(claims: unverifiedClaims, algorithm: algorithm, keyID: keyID ?? key.keyID)
        }
        guard let keyID else { throw .unknownKey(keyID: nil) }
        if !candidates.isEmpty { throw .badSignature }
        let isKnown = keys.unusableKeyIDs.contains(keyID) || keys.keys.contains { $0.keyID == keyID }
        throw isKnown ? .unusableKey : .unknownKey(keyID: keyID)
    }
}
