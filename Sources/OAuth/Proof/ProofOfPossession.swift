public import AuthModel

/// Whether tokens are to be bound to a key (RFC 9449).
public enum ProofOfPossession {
    /// The only algorithm we prove with; P-256 is what everybody has.
    public static let algorithm = SignatureAlgorithm.es256

    /// Whether requests to this provider carry proofs: where it announces that it takes ours, unless that is switched off; always where it is
    /// required, also of a provider that announces nothing.
    ///
    /// Where proofs are sent, take only bound tokens (`requiresProof` of ``TokenResponse``): a Bearer token would be a step down (section 5).
    ///
    /// - Throws: ``OAuthError`` where proofs are required and the provider announces that it takes other algorithms only.
    public static func isUsed(_ wish: ProtectionUse, at metadata: ProviderMetadata) throws(OAuthError) -> Bool {
        let isAnnounced = metadata.proofAlgorithms.map { $0.contains(algorithm.rawValue) }
        switch wish {
        case .off: return false
        case .auto: return isAnnounced ?? false
        case .required:
            if isAnnounced == false {
                throw OAuthError(
                    .proof, .misconfigured("the provider takes no DPoP proof signed with ES256, and dpop is required"),
                    host: metadata.issuer?.url.origin.authority)
            }
            return true
        }
    }
}
