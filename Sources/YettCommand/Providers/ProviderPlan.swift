internal import AuthEngine
internal import AuthModel
internal import OAuth

/// A provider that is about to be added: everything is settled but which client we are there.
struct ProviderPlan {
    var name: ProviderName
    var kind: ProviderKind
    /// `nil` at a provider that publishes no metadata.
    var issuer: Issuer?
    /// What says where it is besides an issuer, under the names in the configuration.
    var location: [ProviderPreset.Setting] = []
    var preset: ProviderPreset?
    /// What the provider says of itself; `nil` where it was not asked, or has nothing to say.
    var metadata: ProviderMetadata?
    var scopes: [String] = []
    /// The redirect addresses to register; empty for the usual one.
    var redirects: [String] = []
    /// A page of the person's own to register instead, which they paste from.
    var pasteRedirect: String?
    /// Whether we register the client, so that its redirect address is ours to choose.
    var registersClient = false
    /// Where the browser is to come back to when the provider's own session has ended; to register with the client.
    var postLogoutRedirects: [String] = []
    /// The protected resource that all this is for.
    var resource: String?

    /// How messages name the provider.
    var host: String { issuer?.url.origin.authority ?? name.text }

    /// Whether the provider itself says at each sign-in which client we are.
    var namesTheClient: Bool { preset?.namesTheClient == true }

    /// The redirect addresses to register, in full; none where no browser comes back.
    var registered: [String] {
        guard kind.definition.hasRedirect else { return [] }
        return pasteRedirect.map { [$0] } ?? (redirects.isEmpty ? [(ownRedirect ?? .standard).description] : redirects)
    }

    /// A redirect of this provider's own, where its answers do not say whose they are: then the path tells them from another provider's
    /// (RFC 9700 section 4.4.2). Only for a client that we register: who registers one by hand was told the usual address, and a provider
    /// takes none but the registered one.
    private var ownRedirect: RedirectRule? {
        guard registersClient, redirects.isEmpty, pasteRedirect == nil, metadata?.announcesIssuerInResponses == false else { return nil }
        return RedirectRule(host: "127.0.0.1", port: nil, path: "\(RedirectRule.standard.path)/\(name)")
    }

    /// The table to write.
    func entry(clientID: String, clientSecretFile: String?) -> ProviderEntry {
        var entry = ProviderEntry(
            kind: kind, issuer: issuer, clientID: clientID, scopes: scopes, redirects: ownRedirect.map { [$0.description] } ?? redirects)
        entry.clientSecretFile = clientSecretFile
        entry.pasteRedirect = pasteRedirect
        entry.postLogoutRedirects = postLogoutRedirects
        entry.resource = resource
        entry.apiHosts = preset?.apiHosts ?? []
        entry.extraParameters = preset?.extraParameters ?? []
        entry.location = location
        return entry
    }

    /// Whether programs can register a client there.
    var canRegister: Bool { metadata?.registrationEndpoint != nil }

    /// The client to register (RFC 7591): a native program that can do what the provider offers.
    ///
    /// Throws `.configuration` where programs cannot register themselves.
    func registration() throws(AuthFailure) -> (registration: ClientRegistration, metadata: ProviderMetadata) {
        guard let metadata, metadata.registrationEndpoint != nil else {
            throw AuthFailure(
                .configuration, "\(host) does not let programs register themselves",
                hint: "register a client there by hand, and give its client_id (--client-id)")
        }
        let device = "urn:ietf:params:oauth:grant-type:device_code"
        let offersDevice = metadata.deviceAuthorizationEndpoint != nil && metadata.grantTypes?.contains(device) != false
        let registration = ClientRegistration(
            name: "Yett", redirectURIs: registered, postLogoutRedirectURIs: postLogoutRedirects, scopes: ScopeSet(scopes),
            grantTypes: ["authorization_code", "refresh_token"] + (offersDevice ? [device] : []))
        return (registration, metadata)
    }
}
