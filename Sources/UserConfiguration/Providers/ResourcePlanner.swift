package import AuthModel
package import OAuth

/// Makes a ``ProviderPlan`` from the address of a protected resource (RFC 9728) and the authorization server that the user chose.
///
/// A resource's metadata is untrusted, so no credential of another provider is sent to the servers that it names.
package struct ResourcePlanner {
    package let discovery: any ProviderDiscovery

    /// Creates a planner.
    package init(discovery: any ProviderDiscovery) {
        self.discovery = discovery
    }

    /// Returns the plan for signing in at `issuer`, which the user chose from the resource's authorization servers.
    ///
    /// - Parameter scopes: the scopes to request; empty for those that the resource wants.
    package func plan(_ finding: DiscoveredResource, issuer: Issuer, name: ProviderName, scopes: [String], redirects: [String])
        async throws(AuthFailure)
        -> ProviderPlan
    {
        let server = try await server(ProviderConfiguration(name: name, kind: .oauth2, issuer: issuer, clientID: ""))
        let wanted = scopes.isEmpty ? Self.scopes(finding, at: server) : scopes
        var plan = ProviderPlan(
            name: name, kind: wanted.contains("openid") ? .oidc : .oauth2, issuer: issuer, metadata: server, scopes: wanted,
            redirects: redirects, resource: finding.metadata.resource.text)
        // The resource may ask for these later; the sign-in requests only the scopes that it needs now.
        plan.laterScopes = finding.metadata.scopes?.filter { !wanted.contains($0) } ?? []
        plan.requiresProof = finding.metadata.requiresProof
        return plan
    }

    /// Fetches the server's metadata, as an OpenID provider or as a plain OAuth server. Refuses a server that does not advertise PKCE: the
    /// resource is untrusted, and nothing else binds the code to this client.
    private func server(_ provider: ProviderConfiguration) async throws(AuthFailure) -> ProviderMetadata {
        let metadata = try await discovery.metadata(of: provider)
        guard metadata.codeChallengeMethods?.contains("S256") == true else {
            throw AuthFailure(
                .security, UserMessage("resource.no_pkce_s256", ["host": provider.issuer?.url.origin.authority ?? ""]),
                hint: "hint.contact_authorization_server")
        }
        return metadata
    }

    /// Returns the scopes that the resource wants, and the OpenID scopes for the user's identity and for renewal that the server offers.
    private static func scopes(_ finding: DiscoveredResource, at server: ProviderMetadata) -> [String] {
        let offered = server.scopes ?? []
        let isOpenID = offered.contains("openid") && server.keysEndpoint != nil
        let useful = (isOpenID ? ["openid", "profile", "email"] : []) + ["offline_access"]
        return ScopeSet(useful.filter(offered.contains) + finding.scopes).values
    }
}
