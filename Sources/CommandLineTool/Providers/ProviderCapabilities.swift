internal import AuthModel
internal import OAuth

/// The capabilities of a provider, according to its metadata.
struct ProviderCapabilities {
    let metadata: ProviderMetadata

    /// Every capability: its key in JSON, its title, and whether the provider offers it.
    var all: [(key: String, title: String, isOffered: Bool)] {
        let device = "urn:ietf:params:oauth:grant-type:device_code"
        return [
            (
                "device", "sign-in by device code",
                metadata.deviceAuthorizationEndpoint != nil && metadata.grantTypes?.contains(device) != false
            ),
            ("pushed_requests", "pushed requests", metadata.pushedAuthorizationEndpoint != nil),
            ("dpop", "tokens bound to a key", metadata.proofAlgorithms?.contains(ProofOfPossession.algorithm.rawValue) == true),
            ("registration", "registration of clients", metadata.registrationEndpoint != nil),
            ("client_documents", "clients by metadata document", metadata.supportsClientIDDocuments),
            ("revocation", "revocation", metadata.revocationEndpoint != nil),
            ("introspection", "introspection", metadata.introspectionEndpoint != nil),
            ("end_session", "signing out in the browser", metadata.endSessionEndpoint != nil),
            ("account_creation", "making accounts", metadata.offersAccountCreation == true),
            ("issuer_in_responses", "its name in every answer", metadata.announcesIssuerInResponses),
        ]
    }

    /// The titles of the capabilities that the provider offers.
    var offered: [String] { all.filter(\.isOffered).map(\.title) }
}
