extension JSONWebSignature {
    /// What a signature that holds was made with.
    public struct Signer: Equatable, Sendable {
        public let algorithm: SignatureAlgorithm
        public let keyID: String?
    }

    /// Verifies the signature, and nothing else: for looking at a token, never for trusting it.
    ///
    /// - Parameter announcedAlgorithms: what the issuer says it signs with; RS256 where it says nothing.
    public func signer(among keys: KeySet, announcedAlgorithms: [String]?, host: String?) throws(OAuthError) -> Signer {
        do throws(TokenError) {
            let verified = try verified(with: keys, allowed: SignatureAlgorithm.accepted(from: announcedAlgorithms))
            return Signer(algorithm: verified.algorithm, keyID: verified.keyID)
        } catch {
            throw OAuthError(.idToken, .token(error), host: host)
        }
    }
}
