internal import AuthModel
internal import OAuth

/// What a provider can do, as its metadata says.
struct ProviderCapabilities {
    let metadata: ProviderMetadata

    /// Each ability by a word for programs, a few words for people, and whether the provider has it.
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
            ("client_documents", "clients by metadata document", metadata.takesClientIDDocuments),
            ("revocation", "revocation", metadata.revocationEndpoint != nil),
            ("introspection", "introspection", metadata.introspectionEndpoint != nil),
            ("end_session", "signing out in the browser", metadata.endSessionEndpoint != nil),
            ("account_creation", "making accounts", metadata.offersAccountCreation == true),
            ("issuer_in_responses", "its name in every answer", metadata.announcesIssuerInResponses),
        ]
    }

    /// Those it has, for people.
    var offered: [String] { all.filter(\.isOffered).map(\.title) }
}
