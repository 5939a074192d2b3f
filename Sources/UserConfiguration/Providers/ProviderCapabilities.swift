package import AuthModel
package import OAuth

/// The capabilities of a provider, according to its metadata.
package struct ProviderCapabilities {
    package let metadata: ProviderMetadata

    /// Creates the capabilities that the metadata describes.
    package init(metadata: ProviderMetadata) {
        self.metadata = metadata
    }

    /// Every capability: its key in JSON, its title, and whether the provider offers it.
    package var all: [(key: String, title: UserMessage, isOffered: Bool)] {
        let device = "urn:ietf:params:oauth:grant-type:device_code"
        return [
            (
                "device", "phrase.capability_device_code",
                metadata.deviceAuthorizationEndpoint != nil && metadata.grantTypes?.contains(device) != false
            ),
            ("pushed_requests", "phrase.capability_pushed_requests", metadata.pushedAuthorizationEndpoint != nil),
            (
                "dpop", "phrase.capability_key_bound_tokens",
                metadata.proofAlgorithms?.contains(ProofOfPossession.algorithm.rawValue) == true
            ),
            ("registration", "phrase.capability_client_registration", metadata.registrationEndpoint != nil),
            ("client_documents", "phrase.capability_client_documents", metadata.supportsClientIDDocuments),
            ("revocation", "phrase.capability_revocation", metadata.revocationEndpoint != nil),
            ("introspection", "phrase.capability_introspection", metadata.introspectionEndpoint != nil),
            ("end_session", "phrase.capability_browser_sign_out", metadata.endSessionEndpoint != nil),
            ("account_creation", "phrase.capability_account_creation", metadata.offersAccountCreation == true),
            ("issuer_in_responses", "phrase.capability_issuer_in_callbacks", metadata.announcesIssuerInResponses),
        ]
    }

    /// The titles of the capabilities that the provider offers.
    package var offered: [UserMessage] { all.filter(\.isOffered).map(\.title) }
}
