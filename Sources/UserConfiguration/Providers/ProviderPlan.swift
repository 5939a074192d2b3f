package import AuthModel
package import OAuth
package import TOML

/// A provider that is about to be added: everything except its client is determined.
package struct ProviderPlan {
    package var name: ProviderName
    package var kind: ProviderKind
    /// `nil` if the provider publishes no metadata.
    package var issuer: Issuer?
    /// The keys to write, as far as the members of this value do not replace them: those of the preset, and the user's settings.
    package var table: TOMLValue
    package var preset: ProviderPreset?
    /// The user's place at the preset's service.
    package var place: String?
    /// The provider's metadata; `nil` if it was not fetched or does not exist.
    package var metadata: ProviderMetadata?
    /// The report of a provider without metadata, in a few words.
    package var finding: UserMessage?
    package var scopes: [String] = []
    /// The redirect addresses to register; empty for the default one.
    package var redirects: [String] = []
    /// A page of the user to register instead, which the user pastes from.
    package var pasteRedirect: String?
    /// Whether a browser returns from a sign-in to a redirect address.
    package var hasRedirect = true
    /// Whether Yett registers the client and therefore can choose the redirect address.
    package var registersClient = false
    /// The port in the registered redirect address. Many servers compare it, although RFC 8252 section 7.3 forbids that.
    package var port: Int?
    /// The host in the registered redirect address. RFC 8252 section 8.3 advises against `localhost`, which some servers want all the same.
    package var redirectHost = "127.0.0.1"
    /// The scopes to register in addition to ``scopes``: those that a resource may ask for later (RFC 6750 section 3.1).
    package var laterScopes: [String] = []
    /// The post-logout redirect addresses to register with the client.
    package var postLogoutRedirects: [String] = []
    /// The protected resource that the provider is added for.
    package var resource: String?
    /// The hosts that only the user can confirm to belong together: those that would sign the user in, and last the one that would get the
    /// tokens; else empty. See ``OAuth/SignInSites``.
    package var unconfirmedHosts: [String] = []
    /// Whether the resource, or the registration, requires tokens that are bound to a key (RFC 9449 section 5.2, RFC 9728 section 2).
    package var requiresProof = false

    /// Creates a plan. Everything else has its default value.
    package init(
        name: ProviderName, kind: ProviderKind, issuer: Issuer?, metadata: ProviderMetadata?, scopes: [String], redirects: [String],
        resource: String? = nil
    ) {
        self.name = name
        self.kind = kind
        self.issuer = issuer
        table = .table([.init("kind", .string(kind.rawValue))] + (issuer.map { [.init("issuer", .string($0.text))] } ?? []))
        self.metadata = metadata
        self.scopes = scopes
        self.redirects = redirects
        self.resource = resource
    }

    /// The provider's name in messages.
    package var host: String { issuer?.url.origin.authority ?? name.text }

    /// Whether the provider chooses the client at each sign-in.
    package var choosesClient: Bool { preset?.needs.client == false }

    /// The full redirect addresses to register; none if the kind has no redirect.
    package var registered: [String] {
        guard hasRedirect else { return [] }
        return pasteRedirect.map { [$0] } ?? (redirects.isEmpty ? [(ownRedirect ?? .standard).description] : redirects)
    }

    /// Whether Yett chooses the redirect address: it registers the client, and the user gave no address.
    package var choosesRedirect: Bool { registersClient && redirects.isEmpty && pasteRedirect == nil && hasRedirect }

    /// A redirect address of this provider's own, with its port: its path tells the provider's responses from another one's, whether they
    /// name their issuer or not (RFC 9700 section 4.4.2). Only for a client that Yett registers: a client registered by hand has the
    /// default address, and providers accept only registered addresses.
    private var ownRedirect: RedirectRule? {
        choosesRedirect ? RedirectRule(host: redirectHost, port: port, path: RedirectRule.standard.path + "/\(name)") : nil
    }

    /// Returns the table to write: its keys, with their values in TOML syntax.
    ///
    /// - Parameter clientID: empty if the provider chooses the client at each sign-in.
    package func settings(clientID: String, clientSecretFile: String?) -> [(key: String, value: String)] {
        var members: [TOMLValue.Member] = []
        func add(_ key: String, _ text: String?) { if let text { members.append(.init(key, .string(text))) } }
        func add(_ key: String, _ texts: [String]) {
            if !texts.isEmpty { members.append(.init(key, .array(texts.map(TOMLValue.string)))) }
        }
        add("client_id", clientID.isEmpty ? nil : clientID)
        add("client_secret_file", clientSecretFile)
        add("scopes", scopes)
        add("redirect", ownRedirect.map { [$0.description] } ?? redirects)
        add("paste_redirect", pasteRedirect)
        add("post_logout_redirect", postLogoutRedirects)
        if registersClient { members.append(.init("registered_scopes", .array(registeredScopes.map(TOMLValue.string)))) }
        add("resource", resource)
        if requiresProof { add("dpop", ProofMode.required.rawValue) }
        var written = TOMLValue.table(members).merged(over: table)
        // A client without a secret has nothing to authenticate with.
        let needsSecret = [ProviderConfiguration.ClientAuthentication.clientSecretBasic, .clientSecretPost].map(\.rawValue)
        if written["client_secret_file"] == nil, written["client_secret_command"] == nil,
            needsSecret.contains(written["client_auth"]?.string ?? "")
        {
            written = written.removing(["client_auth"])
        }
        let first = ["kind", "issuer", "client_id", "client_secret_file"]
        let all = written.members ?? []
        return (first.compactMap { key in all.first { $0.name == key } } + all.filter { !first.contains($0.name) })
            .map { ($0.name, TOMLText.value($0.value)) }
    }

    /// Writes into the settings that the user has confirmed the hosts of the sign-in.
    package mutating func confirmHosts() {
        guard !unconfirmedHosts.isEmpty else { return }
        let hosts = TOMLValue.array(unconfirmedHosts.map(TOMLValue.string))
        table = TOMLValue.table([.init("sign_in_hosts", hosts)]).merged(over: table)
    }

    /// Whether the provider supports client registration.
    package var canRegister: Bool { metadata?.registrationEndpoint != nil }

    /// Whether a client at the authorization server of a resource may have a secret: the server announces no clients without one. Some
    /// servers have them all the same.
    package var mayNeedSecret: Bool { resource != nil && metadata?.tokenAuthenticationMethods?.contains("none") == false }

    /// Whether a public client may have the URL of its metadata as its identifier, so that it needs no registration.
    ///
    /// The document and its redirects are the same at every provider. So the provider has to name itself in its responses (RFC 9207): else
    /// another one that uses the same document could obtain its codes (RFC 9700 section 4.4).
    package var acceptsClientDocument: Bool {
        guard let metadata, metadata.supportsClientIDDocuments, metadata.announcesIssuerInResponses else { return false }
        return ClientRegistration.authenticationMethod(among: metadata.tokenAuthenticationMethods) == "none"
    }

    /// The client's metadata for a document at `url`, which any provider may read: it has no scopes.
    package static func clientDocument(at url: WebURL) -> JSONValue {
        let device = "urn:ietf:params:oauth:grant-type:device_code"
        let registration = ClientRegistration(
            name: "Yett", redirectURIs: [RedirectRule.standard.description],
            grantTypes: ["authorization_code", "refresh_token", device])
        return ClientIDDocument.document(registration, clientID: url)
    }

    /// The scopes that the client is registered for.
    private var registeredScopes: [String] { ScopeSet(scopes + laterScopes).values }

    /// Leaves out the scopes that the registered client may not request: GitLab gives each one `mcp` alone. Changes nothing if none of them
    /// would be left.
    ///
    /// `openid` and `offline_access` stay where the answer lists other scopes of OpenID Connect, because Keycloak does not list `openid`,
    /// and at a provider that is not for a resource.
    ///
    /// - Parameter registered: the scopes in the answer to the registration; `nil` if it has none.
    package mutating func narrow(to registered: ScopeSet?) {
        guard let registered = registered?.values, scopes.contains(where: registered.contains) else { return }
        let unlisted: Set = ["openid", "offline_access"]
        let listsOthers = ["profile", "email", "address", "phone", "offline_access"].contains(where: registered.contains)
        func isGranted(_ scope: String) -> Bool {
            registered.contains(scope) || unlisted.contains(scope) && (listsOthers || resource == nil)
        }
        let granted = scopes.filter(isGranted)
        scopes = granted
        laterScopes = laterScopes.filter(isGranted)
        guard kind == .oidc, !granted.contains("openid") else { return }
        kind = .oauth2
        table = TOMLValue.table([.init("kind", .string(kind.rawValue))]).merged(over: table)
    }

    private func grantTypes(at metadata: ProviderMetadata) -> [String] {
        if kind == .exchange { return ["urn:ietf:params:oauth:grant-type:jwt-bearer"] }
        let device = "urn:ietf:params:oauth:grant-type:device_code"
        let offersDevice = metadata.deviceAuthorizationEndpoint != nil && metadata.grantTypes?.contains(device) != false
        return ["authorization_code", "refresh_token"] + (offersDevice ? [device] : [])
    }

    /// Returns the client to register (RFC 7591): a native application with the grant types that the provider offers.
    ///
    /// Throws `.configuration` if the provider does not support client registration.
    package func registration() throws(AuthFailure) -> (registration: ClientRegistration, metadata: ProviderMetadata) {
        guard let metadata, metadata.registrationEndpoint != nil else {
            throw AuthFailure(
                .configuration, UserMessage("registration.not_supported_by_host", ["host": host]),
                hint: "hint.register_client_yourself")
        }
        let registration = ClientRegistration(
            name: "Yett", redirectURIs: registered, postLogoutRedirectURIs: postLogoutRedirects, scopes: ScopeSet(registeredScopes),
            grantTypes: grantTypes(at: metadata), requiresProof: requiresProof)
        return (registration, metadata)
    }
}

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

    package var offered: [UserMessage] { all.filter(\.isOffered).map(\.title) }
}
