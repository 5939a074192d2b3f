package import AuthModel
package import OAuth
import TOML

/// Makes a ``ProviderPlan`` from the address of a protected resource (RFC 9728) and the authorization server that the user chose.
///
/// A resource's metadata is untrusted, so no credential of another provider is sent to the servers that it names.
package struct ResourcePlanner {
    package let discovery: any ProviderDiscovery
    private let presets: PresetLibrary

    /// Creates a planner that knows the authorization servers of these presets.
    package init(discovery: any ProviderDiscovery, presets: PresetLibrary) {
        self.discovery = discovery
        self.presets = presets
    }

    /// Returns the plan for getting tokens at `issuer` with grants of the user's identity provider (ID-JAG). No browser opens there, so
    /// neither PKCE nor a redirect address matters, and a renewal needs no scope.
    ///
    /// - Parameters:
    ///   - base: the session at the identity provider.
    ///   - policy: the policy of that session's provider. Tokens that are made from the session are not given more freely than its own.
    ///   - scopes: the scopes to request; empty for those that the resource wants.
    package func plan(
        _ finding: DiscoveredResource, issuer: Issuer, name: ProviderName, scopes: [String], from base: SessionName, policy: TokenPolicy,
        metadata: ProviderMetadata
    ) -> ProviderPlan {
        var plan = ProviderPlan(
            name: name, kind: .exchange, issuer: metadata.issuer ?? issuer, metadata: metadata,
            scopes: scopes.isEmpty ? finding.scopes : scopes,
            redirects: [], resource: finding.metadata.resource.text)
        plan.hasRedirect = false
        plan.requiresProof = finding.requiresProof
        let ownPolicy = policy == .allow ? [] : [TOMLValue.Member("policy", .string(policy.rawValue))]
        plan.table = TOMLValue.table(
            [
                .init("from", .string(base.description)),
                .init("grant", .string(ProviderConfiguration.Exchange.Grant.identityGrant.rawValue)),
            ] + ownPolicy
        ).merged(over: plan.table)
        return plan
    }

    /// Returns the plan for signing in at `issuer`, which the user chose from the resource's authorization servers.
    ///
    /// - Parameters:
    ///   - other: the server that the resource names, if its metadata name `issuer`.
    ///   - scopes: the scopes to request; empty for those that the resource wants.
    package func plan(
        _ finding: DiscoveredResource, issuer: Issuer, namedBy other: Issuer? = nil, name: ProviderName, scopes: [String],
        redirects: [String]
    ) async throws(AuthFailure) -> ProviderPlan {
        let known = shippedSettings(of: issuer)
        var provider = ProviderConfiguration(name: name, kind: .oauth2, issuer: issuer, clientID: "")
        provider.resources = [finding.metadata.resource.text]
        provider.dialect.issuerPattern = known?["issuer_pattern"]?.string.flatMap(IssuerPattern.init)
        let (server, hasDocument) = try await server(
            &provider, namedBy: other, mayHaveNone: finding.metadata.isAssumed, isKnown: known != nil)
        let wanted = scopes.isEmpty ? Self.scopes(finding, at: server) : scopes
        // Servers of plain OAuth name this scope, too, and have no ID tokens.
        let hasIDTokens = wanted.contains("openid") && server.keysEndpoint != nil
        var plan = ProviderPlan(
            name: name, kind: hasIDTokens ? .oidc : .oauth2, issuer: server.issuer ?? issuer, metadata: server,
            scopes: wanted, redirects: redirects, resource: finding.metadata.resource.text)
        plan.table = plan.table.merged(over: refreshTokenParameters(of: presetOfPage(of: server)))
        let sites = SignInSites(provider) { [presets] in presets.knows(page: $1, tokens: $2, of: $0) }
        plan.unconfirmedHosts = sites.unconfirmedHosts(of: server)
        if let known {
            let settings = (known.members ?? []).filter {
                Self.serverKeys.contains($0.name) && !TOMLText.value($0.value).contains("{place")
            }
            plan.table = plan.table.merged(over: .table(settings))
            // That of a client that is registered by hand.
            if redirects.isEmpty, server.registrationEndpoint == nil, !server.supportsClientIDDocuments {
                plan.redirects = known["redirect"]?.strings ?? known["redirect"]?.string.map { [$0] } ?? []
            }
        }
        if let document = provider.dialect.discovery {
            plan.table = plan.table.merged(over: .table([.init("discovery", .string(document.text))]))
        }
        // The resource may ask for these later; the sign-in requests only the scopes that it needs now.
        plan.laterScopes = finding.metadata.scopes?.filter { !wanted.contains($0) } ?? []
        plan.requiresProof = finding.requiresProof
        if !hasDocument {
            let endpoints = [("authorization_endpoint", server.authorizationEndpoint), ("token_endpoint", server.tokenEndpoint)]
            let members = endpoints.compactMap { key, url in url.map { TOMLValue.Member(key, .string($0.text)) } }
            plan.table = TOMLValue.table(members).merged(over: plan.table)
        }
        return plan
    }

    /// The keys of a preset that say how its authorization server differs from the standards, for every resource.
    private static let serverKeys: Set = [
        "issuer_pattern", "revocation", "client_auth", "extra_params", "scope_separator", "scopes_in_response", "trusted_audiences",
        "resource_parameter", "renewal_scopes", "tokens_at", "token_type",
    ]

    /// Returns the settings of the shipped preset for this authorization server; `nil` if none exists or it has no PKCE. Presets are
    /// trusted, because they ship with the program.
    private func shippedSettings(of issuer: Issuer) -> TOMLValue? {
        guard let found = presets.recognising(issuer.url), found.preset.file == nil, found.preset.provider["pkce"] == nil,
            let template = found.preset.provider["issuer"]?.string
        else { return nil }
        // The parts of a place are not known from an address, but its host is one of the service's.
        let own = (try? found.preset.provider(at: found.place))?["issuer"]?.string.flatMap(Issuer.init)
        return template.contains("{place.") || own?.isSameURL(as: issuer) == true ? found.preset.provider : nil
    }

    /// Returns the shipped preset without an issuer, such as Dropbox's, whose page a server has.
    private func presetOfPage(of server: ProviderMetadata) -> ProviderPreset? {
        presets.presets.first { preset in
            preset.file == nil && preset.provider["issuer"] == nil
                && preset.provider["authorization_endpoint"]?.string == server.authorizationEndpoint?.text
        }
    }

    /// Returns the parameters that bring a refresh token at a service. What else its preset says is about its other API.
    private func refreshTokenParameters(of preset: ProviderPreset?) -> TOMLValue {
        let names: Set = ["access_type", "token_access_type", "duration"]
        let parameters = preset?.provider["extra_params"]?.members?.filter { names.contains($0.name) } ?? []
        return .table(parameters.isEmpty ? [] : [.init("extra_params", .table(parameters))])
    }

    /// Fetches the server's metadata, as an OpenID provider or as a plain OAuth server. Refuses a server that does not advertise PKCE: the
    /// resource is untrusted, and nothing else binds the code to this client.
    ///
    /// - Parameters:
    ///   - provider: gets the place of the metadata, if it is not the issuer's own.
    ///   - other: the server that the resource names, if its metadata name this one.
    ///   - mayHaveNone: whether a server without metadata has the endpoints of the MCP revision 2025-03-26.
    ///   - isKnown: whether a preset signs in there with PKCE: Cognito and Entra have it and do not say so.
    private func server(
        _ provider: inout ProviderConfiguration, namedBy other: Issuer?, mayHaveNone: Bool, isKnown: Bool
    ) async throws(AuthFailure) -> (metadata: ProviderMetadata, hasDocument: Bool) {
        var metadata: ProviderMetadata
        do throws(AuthFailure) {
            metadata = try await discovery.serverMetadata(of: provider)
        } catch {
            guard error.isMissingDocument, let issuer = provider.issuer else { throw error }
            if let other, other.isOrigin(of: issuer), let found = await document(of: provider, at: other) {
                // SmartBear's server at a path has no other one.
                (metadata, provider.dialect.discovery) = found
            } else {
                guard mayHaveNone else { throw error }
                return (.withoutDocument(at: issuer), false)
            }
        }
        // Atlassian registers clients for each resource at a path of its own. Where the user signs in, and who gets the code, its metadata
        // say.
        if metadata.registrationEndpoint == nil, let other {
            metadata.registrationEndpoint = await registrationEndpoint(of: provider, at: other)
        }
        guard metadata.codeChallengeMethods?.contains("S256") ?? isKnown else {
            throw AuthFailure(
                .security, UserMessage("resource.no_pkce_s256", ["host": provider.issuer?.url.origin.authority ?? ""]),
                hint: "hint.contact_authorization_server")
        }
        return (metadata, true)
    }

    /// Returns where another server on the origin of the provider registers clients for it.
    package func registrationEndpoint(of provider: ProviderConfiguration, at other: Issuer) async -> WebURL? {
        guard other != provider.issuer, other.url.origin == provider.issuer?.url.origin else { return nil }
        let endpoint = await document(of: provider, at: other)?.metadata.registrationEndpoint
        return endpoint?.origin == other.url.origin ? endpoint : nil
    }

    /// Returns the metadata that another server has for this provider.
    private func document(of provider: ProviderConfiguration, at other: Issuer) async -> (metadata: ProviderMetadata, place: WebURL?)? {
        for place in ProviderMetadata.locations(of: other, kind: .oauth2) {
            var provider = provider
            provider.dialect.discovery = place
            if let found = try? await discovery.metadata(of: provider) { return (found, place) }
        }
        return nil
    }

    /// Returns the scopes that the resource wants, and the OpenID scopes for the user's identity and for renewal that the server offers.
    private static func scopes(_ finding: DiscoveredResource, at server: ProviderMetadata) -> [String] {
        let offered = server.scopes ?? []
        let isOpenID = offered.contains("openid") && server.keysEndpoint != nil
        let useful = (isOpenID ? ["openid", "profile", "email"] : []) + ["offline_access"]
        return ScopeSet(useful.filter(offered.contains) + finding.scopes).values
    }
}

/// The network requests of planning a provider, without the user and without a credential.
package protocol ProviderDiscovery: Sendable {
    /// Returns the metadata of a provider that has an issuer.
    func metadata(of provider: ProviderConfiguration) async throws(AuthFailure) -> ProviderMetadata

    /// Returns the protected resource at an address that may be an issuer's (RFC 9728): what demands a token, or publishes metadata of a
    /// resource; `nil` for anything else. Throws if it demands a token, and its metadata are invalid.
    func resource(at url: WebURL) async throws(AuthFailure) -> DiscoveredResource?

    /// Asks a provider without metadata in the way that its kind defines; returns `nil` if the kind defines none.
    func finding(of provider: ProviderConfiguration) async throws(AuthFailure) -> UserMessage?
}

extension ProviderDiscovery {
    /// Returns the metadata of an authorization server that a resource names, perhaps in another spelling of the same URL than its own:
    /// ``AuthModel/Issuer/isSameURL(as:)``. The document's spelling is the issuer.
    package func serverMetadata(of server: ProviderConfiguration) async throws(AuthFailure) -> ProviderMetadata {
        do throws(AuthFailure) {
            return try await metadata(of: server)
        } catch {
            guard let issuer = server.issuer, let named = error.namedIssuer.flatMap(Issuer.init), issuer.isSameURL(as: named) else {
                throw error
            }
            var server = server
            server.issuer = named
            return try await metadata(of: server)
        }
    }
}
