extension JSONWebSignature {
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
}
