public import AuthModel

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
