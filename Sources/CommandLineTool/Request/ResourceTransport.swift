internal import AuthEngine
internal import AuthModel
internal import OAuth

/// Sends requests to the resources of one provider: with a token to the URL that the engine issued it for, and else with nothing that shows
/// who asks.
struct ResourceTransport {
    let provider: ProviderConfiguration
    let context: CommandContext

    /// Sends a request with the token that is on it, and with the client's certificate where there is one (RFC 8705 section 3).
    ///
    /// - Parameters:
    ///   - grant: the token, which says what it was issued for.
    ///   - login: what a web server in front wants.
    /// - Throws: `.security` where the request goes somewhere else than the token was issued for.
    func send(_ request: WebRequest, with grant: IssuedToken, login: WebServerLogin? = nil) async throws(AuthFailure) -> WebResponse {
        // The query is not part of it: a kind may add to it, and it changes no place.
        guard let issuedFor = grant.resource, issuedFor.description == request.url.description else {
            throw AuthFailure(
                .security, "the token of \(grant.session) was not issued for \(request.url.origin.authority)", hint: "nothing was sent")
        }
        return try await send(request, login: login, trusting: grant.certificate, presentingCertificate: true)
    }

    /// Sends a request without a token.
    ///
    /// - Parameter login: what a web server in front wants.
    func sendAnonymously(_ request: WebRequest, login: WebServerLogin? = nil) async throws(AuthFailure) -> WebResponse {
        let shown = provider.resourceDialect.credentialFields
        guard !request.headers.contains(where: { shown.contains($0.name.lowercased()) }) else {
            throw AuthFailure(.bug, "a request without a token has one")
        }
        return try await send(
            request, login: login, trusting: nil, presentingCertificate: CredentialGate(provider).namesOrigin(of: request.url))
    }

    private func send(
        _ request: WebRequest, login: WebServerLogin?, trusting certificate: ServerCertificate?, presentingCertificate: Bool
    ) async throws(AuthFailure) -> WebResponse {
        var policy = TransportPolicy(deadline: .seconds(60), bodyLimit: 64 << 20, caFile: provider.caFile)
        if presentingCertificate, [.tls, .auto].contains(provider.clientAuthentication), let certificate = provider.clientCertificateFile {
            policy.clientCertificate = .init(certificateFile: certificate, keyFile: provider.clientKeyFile)
        }
        policy.webServerLogin = login
        policy.allowedCertificate = certificate
        return try await context.edges.transport.send(request, policy: policy)
    }

    /// Where a redirect leads, within the same origin; `nil` where there is none. Throws `.security` for any other.
    static func redirect(_ answer: WebResponse, of request: WebRequest) throws(AuthFailure) -> WebURL? {
        guard [301, 302, 303, 307, 308].contains(answer.status), let location = answer.header("Location") else { return nil }
        let origin = request.url.origin
        guard let next = request.url.resolving(location)?.normalized, next.origin == origin, next.fragment == nil else {
            throw AuthFailure(
                .security, "\(origin.authority) redirects the request elsewhere, which is not followed",
                hint: "the token was sent to \(origin.authority) only")
        }
        guard request.method == .get else {
            throw AuthFailure(
                .denied(code: nil), "\(origin.authority) redirects the request, which only a GET follows", hint: "send it to \(next)")
        }
        return next
    }
}
