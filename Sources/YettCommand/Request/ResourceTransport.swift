internal import AuthEngine
internal import AuthModel
internal import OAuth

/// Sends requests to the resources of one provider.
struct ResourceTransport {
    let provider: ProviderConfiguration
    let context: CommandContext

    /// - Parameters:
    ///   - login: what a web server in front wants.
    ///   - certificate: what the person lets stand for the resource's server.
    func send(
        _ request: WebRequest, login: WebServerLogin? = nil, trusting certificate: ServerCertificate? = nil
    ) async throws(AuthFailure) -> WebResponse {
        var policy = TransportPolicy(deadline: .seconds(60), bodyLimit: 64 << 20, caFile: provider.caFile)
        // A token that is bound to the client's certificate (RFC 8705 section 3) is of use with it alone.
        if [.tls, .auto].contains(provider.clientAuthentication), let certificate = provider.clientCertificateFile {
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
        guard let next = request.url.resolving(location), next.origin == origin, next.fragment == nil else {
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
