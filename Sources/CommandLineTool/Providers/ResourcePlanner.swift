internal import AuthEngine
internal import AuthModel
internal import OAuth

/// From the address of a protected resource to a ``ProviderPlan`` (RFC 9728), with the authorization server that a person chose.
///
/// What a resource says of itself is a stranger's word, so nothing of another provider goes to the servers it names.
struct ResourcePlanner {
    let transport: any HTTPTransport
    let time: any TimeSource

    typealias Finding = ResourceDiscovery.Finding

    /// What the resource says of itself.
    func find(_ url: WebURL, challenge: Challenge?) async throws(AuthFailure) -> Finding {
        try await ResourceDiscovery(transport: transport, time: time).find(url, challenge: challenge)
    }

    /// The plan for signing in at `issuer`, which the person chose among those that the resource names.
    ///
    /// - Parameter scopes: what to ask for; empty for what the resource wants.
    func plan(_ finding: Finding, issuer: Issuer, name: ProviderName, scopes: [String], redirects: [String]) async throws(AuthFailure)
        -> ProviderPlan
    {
        let server = try await server(issuer)
        let wanted = scopes.isEmpty ? Self.scopes(finding, at: server) : scopes
        var plan = ProviderPlan(
            name: name, kind: wanted.contains("openid") ? .oidc : .oauth2, issuer: issuer, metadata: server, scopes: wanted,
            redirects: redirects, resource: finding.metadata.resource.text)
        // What the resource may ask for later; the sign-in asks for what it wants now.
        plan.laterScopes = finding.metadata.scopes?.filter { !wanted.contains($0) } ?? []
        plan.requiresProof = finding.metadata.requiresProof
        return plan
    }

    /// Its metadata, as OpenID provider or as plain OAuth server. One that does not say that it checks PKCE is refused: the resource is a
    /// stranger, and nothing else binds the code to us.
    private func server(_ issuer: Issuer) async throws(AuthFailure) -> ProviderMetadata {
        let metadata = try await Discovery(transport: transport, time: time).find(issuer, kind: .oauth2).metadata
        guard metadata.codeChallengeMethods?.contains("S256") == true else {
            throw AuthFailure(
                .security, "\(issuer.url.origin.authority) does not say that it checks PKCE with S256", hint: "tell whoever runs it")
        }
        return metadata
    }

    /// What the resource wants; of OpenID what tells who signed in, and what renews, where the server offers them.
    private static func scopes(_ finding: Finding, at server: ProviderMetadata) -> [String] {
        let offered = server.scopes ?? []
        let isOpenID = offered.contains("openid") && server.keysEndpoint != nil
        let useful = (isOpenID ? ["openid", "profile", "email"] : []) + ["offline_access"]
        return ScopeSet(useful.filter(offered.contains) + finding.scopes).values
    }
}
