internal import AuthEngine
internal import AuthModel
internal import OAuth
internal import ProviderKinds
internal import ResourceClient

/// Sends requests to the resources of one provider: with a token only to the URL that the engine issued it for, otherwise without
/// credentials.
struct ResourceTransport: ResourceSender {
    let provider: ProviderConfiguration
    let transfer: RequestTransfer
    let context: CommandContext

    /// Sends a request that carries a token, with the client's certificate if one is configured (RFC 8705 section 3).
    ///
    /// - Parameters:
    ///   - issued: the token, with the URL that it was issued for.
    ///   - login: the credentials for a web server in front of the resource.
    /// - Throws: `.security` if the request goes to another URL than the token was issued for.
    func send(_ request: WebRequest, with issued: IssuedToken, login: WebServerLogin?) async throws(AuthFailure) -> WebResponse {
        // The description leaves the query out: a kind may add to the query, and the query does not change the destination.
        guard let issuedFor = issued.resource, issuedFor.description == request.url.description else {
            throw AuthFailure(
                .security, text: "the token of \(issued.session) was not issued for \(request.url.origin.authority)",
                hint: "nothing was sent")
        }
        return try await send(request, login: login, trusting: issued.certificate, presentingCertificate: true)
    }

    /// Sends a request without a token.
    ///
    /// - Parameter login: the credentials for a web server in front of the resource.
    func sendAnonymously(_ request: WebRequest, login: WebServerLogin?) async throws(AuthFailure) -> WebResponse {
        let shown = provider.resourceDialect.credentialFields
        guard !request.headers.contains(where: { shown.contains($0.name.asciiLowercased()) }) else {
            throw AuthFailure(.bug, text: "a request that must have no token has one")
        }
        return try await send(
            request, login: login, trusting: nil, presentingCertificate: CredentialGate(provider).namesOrigin(of: request.url))
    }

    private func send(
        _ request: WebRequest, login: WebServerLogin?, trusting certificate: ServerCertificate?, presentingCertificate: Bool
    ) async throws(AuthFailure) -> WebResponse {
        var policy = TransportPolicy(resourcesOf: provider, deadline: .seconds(60), bodyLimit: RequestTransfer.memoryLimit)
        if !presentingCertificate { policy.clientCertificate = nil }
        policy.webServerLogin = login
        policy.allowedCertificate = certificate
        // With a login, libcurl itself sends the request again after a refusal; only a whole response is then the last one.
        guard login == nil else {
            try transfer.requireBodyInMemory(for: request.url)
            return try await context.edges.transport.send(request, policy: policy)
        }
        let response = try await context.edges.transport.open(request, policy: policy, upload: transfer.upload(), isRaw: false)
        return try await transfer.receive(response, isJudged: provider.resourceDialect.judgesBodies)
    }

    func scopes(of resource: WebURL, after challenge: Challenge) async -> [String] {
        await context.scopes(of: resource, after: challenge, caFile: provider.caFile)
    }
}

extension CommandContext {
    /// Returns the scopes in a resource's metadata (RFC 9728 section 2); empty if it has none, or they cannot be read.
    func scopes(of resource: WebURL, after challenge: Challenge, caFile: String?) async -> [String] {
        let discovery = ResourceDiscovery(transport: edges.transport, time: edges.time, caFile: caFile)
        return (try? await discovery.find(resource, challenge: challenge).metadata.scopes) ?? []
    }
}
