internal import AuthModel
package import OAuth

/// The capabilities of a provider, according to its metadata.
package struct ProviderCapabilities {
    package let metadata: ProviderMetadata

    /// Creates the capabilities that the metadata describes.
    package init(metadata: ProviderMetadata) {
        self.metadata = metadata
    }

    /// Every capability: its key in JSON, its title, and whether the provider offers it.
    package var all: [(key: String, title: String, isOffered: Bool)] {
        let device = "urn:ietf:params:oauth:grant-type:device_code"
        return [
            (
                "device", "sign-in by device code",
                metadata.deviceAuthorizationEndpoint != nil && metadata.grantTypes?.contains(device) != false
            ),
            ("pushed_requests", "pushed requests", metadata.pushedAuthorizationEndpoint != nil),
            ("dpop", "key-bound tokens", metadata.proofAlgorithms?.contains(ProofOfPossession.algorithm.rawValue) == true),
            ("registration", "client registration", metadata.registrationEndpoint != nil),
            ("client_documents", "client metadata documents", metadata.supportsClientIDDocuments),
            ("revocation", "revocation", metadata.revocationEndpoint != nil),
            ("introspection", "introspection", metadata.introspectionEndpoint != nil),
            ("end_session", "sign-out in the browser", metadata.endSessionEndpoint != nil),
            ("account_creation", "account creation", metadata.offersAccountCreation == true),
            ("issuer_in_responses", "issuer in callbacks", metadata.announcesIssuerInResponses),
        ]
    }

    /// The titles of the capabilities that the provider offers.
    package var offered: [String] { all.filter(\.isOffered).map(\.title) }
}
