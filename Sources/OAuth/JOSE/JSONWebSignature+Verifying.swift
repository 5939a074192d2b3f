internal import AuthModel

extension JSONWebSignature {
    /// What the signature vouches for.
    struct Verified {
        let claims: JSONValue
        let algorithm: SignatureAlgorithm
        let keyID: String?
    }

    /// Verifies with the issuer's keys.
    ///
    /// - Parameter allowed: what the provider announced, so that a token cannot choose for itself (RFC 8725 section 3.1).
    func verified(with keys: KeySet, allowed: Set<SignatureAlgorithm>) throws(TokenFlaw) -> Verified {
        guard let algorithm = SignatureAlgorithm(rawValue: algorithm), allowed.contains(algorithm) else { throw .algorithmNotAllowed }
        let candidates = keys.candidates(algorithm, keyID: keyID)
        if let key = candidates.first(where: { $0.isValid(signature, over: signingInput, algorithm) }) {
            return Verified(claims: unverifiedClaims, algorithm: algorithm, keyID: keyID ?? key.keyID)
        }
        guard let keyID else { throw .unknownKey(keyID: nil) }
        if !candidates.isEmpty { throw .badSignature }
        throw keys.unusableKeyIDs.contains(keyID) || keys.keys.contains { $0.keyID == keyID } ? .unusableKey : .unknownKey(keyID: keyID)
    }
}
