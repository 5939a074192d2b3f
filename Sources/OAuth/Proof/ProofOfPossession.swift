public import AuthModel

/// Whether tokens are to be bound to a key (RFC 9449).
public enum ProofOfPossession {
    /// The only algorithm we prove with; P-256 is what everybody has.
    public static let algorithm = SignatureAlgorithm.es256

    /// Whether requests to this provider carry proofs: only where that is required, also of a provider that announces nothing.
    ///
    /// Where proofs are sent, take only bound tokens (`requiresProof` of ``TokenResponse``): a Bearer token would be a step down (section
    /// 5).
    ///
    /// - Throws: ``OAuthError`` where proofs are required and the provider announces that it takes other algorithms only.
    public static func isUsed(_ wish: ProofMode, at metadata: ProviderMetadata) throws(OAuthError) -> Bool {
        guard wish == .required else { return false }
        if let algorithms = metadata.proofAlgorithms, !algorithms.contains(algorithm.rawValue) {
            throw OAuthError(
                .proof, .misconfigured("the provider takes no DPoP proof signed with ES256, and dpop is required"),
                host: metadata.issuer?.url.origin.authority)
        }
        return true
    }
}
