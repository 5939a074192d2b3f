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
    /// What one that publishes no metadata was asked instead, and said, in a few words.
    var finding: String?
    var scopes: [String] = []
    /// The redirect addresses to register; empty for the usual one.
    var redirects: [String] = []
    /// A page of the person's own to register instead, which they paste from.
    var pasteRedirect: String?
    /// Whether we register the client, so that its redirect address is ours to choose.
    var registersClient = false
    /// The port that is registered with the redirect address. Many servers compare it, though RFC 8252 section 7.3 tells them not to.
    var port: Int?
    /// What the client is registered for beside ``scopes``: what a resource may ask for later (RFC 6750 section 3.1).
    var laterScopes: [String] = []
    /// Where the browser is to come back to when the provider's own session has ended; to register with the client.
    var postLogoutRedirects: [String] = []
    /// The protected resource that all this is for.
    var resource: String?
    /// Whether the resource, or the registration, demands tokens that are bound to a key (RFC 9449 section 5.2, RFC 9728 section 2).
    var requiresProof = false

    /// How messages name the provider.
    var host: String { issuer?.url.origin.authority ?? name.text }

    /// Whether the provider itself says at each sign-in which client we are.
    var namesTheClient: Bool { preset?.namesTheClient == true }

    /// The redirect addresses to register, in full; none where no browser comes back.
    var registered: [String] {
        guard kind.definition.hasRedirect else { return [] }
        return pasteRedirect.map { [$0] } ?? (redirects.isEmpty ? [(ownRedirect ?? .standard).description] : redirects)
    }

    /// Whether the redirect address is ours to choose: of a client that we register, and that was told none.
    var choosesRedirect: Bool { registersClient && redirects.isEmpty && pasteRedirect == nil && kind.definition.hasRedirect }

    /// A redirect of this provider's own, with its port; its path tells its answers from another provider's where they do not say whose
    /// they are (RFC 9700 section 4.4.2). Only for a client that we register: who registers one by hand was told the usual address, and a
    /// provider takes none but the registered one.
    private var ownRedirect: RedirectRule? {
        guard choosesRedirect else { return nil }
        let path = RedirectRule.standard.path + (metadata?.announcesIssuerInResponses == false ? "/\(name)" : "")
        let rule = RedirectRule(host: "127.0.0.1", port: port, path: path)
        return rule == .standard ? nil : rule
    }

    /// The table to write.
    func entry(clientID: String, clientSecretFile: String?) -> ProviderEntry {
        var entry = ProviderEntry(
            kind: kind, issuer: issuer, clientID: clientID, scopes: scopes, redirects: ownRedirect.map { [$0.description] } ?? redirects)
        entry.clientSecretFile = clientSecretFile
        entry.registeredScopes = registersClient ? registeredScopes : nil
        entry.pasteRedirect = pasteRedirect
        entry.postLogoutRedirects = postLogoutRedirects
        entry.resource = resource
        entry.requiresProof = requiresProof
        entry.apiHosts = preset?.apiHosts ?? []
        entry.extraParameters = preset?.extraParameters ?? []
        entry.location = location
        return entry
    }

    /// Whether programs can register a client there.
    var canRegister: Bool { metadata?.registrationEndpoint != nil }

    /// What the client is registered for.
    private var registeredScopes: [String] { ScopeSet(scopes + laterScopes).values }

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
            name: "Yett", redirectURIs: registered, postLogoutRedirectURIs: postLogoutRedirects, scopes: ScopeSet(registeredScopes),
            grantTypes: ["authorization_code", "refresh_token"] + (offersDevice ? [device] : []),
            requiresProof: requiresProof)
        return (registration, metadata)
    }
}

extension ProviderPlan {
    /// Registers the client. Of the addresses after signing out those stay in the plan that the provider registered.
    ///
    /// Its port is held meanwhile, so that what is registered can be used. Where the provider does not take all the scopes that a resource
    /// may ask for later, it is asked for those of the sign-in alone.
    mutating func register(with registrar: ClientRegistrar) async throws(AuthFailure) -> RegisteredClient {
        registersClient = true
        var held: ReservedPort?
        if choosesRedirect {
            let port = try ReservedPort.reserve(port)
            self.port = port.number
            held = port
        }
        defer { withExtendedLifetime(held) {} }
        let client: RegisteredClient
        do throws(AuthFailure) {
            client = try await registered(by: registrar)
        } catch  where !laterScopes.isEmpty && error.isRefusal {
            laterScopes = []
            client = try await registered(by: registrar)
        }
        requiresProof = requiresProof || client.requiresProof
        return client
    }

    private func registered(by registrar: ClientRegistrar) async throws(AuthFailure) -> RegisteredClient {
        let (registration, metadata) = try registration()
        return try await registrar.register(registration, at: metadata)
    }
}

extension AuthFailure {
    /// Whether a server refused what it was asked, in words of its own.
    fileprivate var isRefusal: Bool { if case .denied = kind { true } else { false } }
}
