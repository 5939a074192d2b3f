internal import AuthModel
internal import OAuth
internal import ProviderKinds

/// Adds the credentials of one session to requests that another program makes: a fresh token for each, with a proof if it is bound to a key.
actor SessionAuthorizer {
    nonisolated let tool: ToolSession
    private let caller: UserMessage
    private let time: any TimeSource
    private var nonces = ProofNonces()
    /// The last token, and until when it is used again without asking for another one.
    private var recent: (issued: IssuedToken, until: Duration)?

    /// How long a token is used for further requests. A lock or a sign-out takes effect after this time at the latest.
    private static let reuse = Duration.seconds(5)
    /// A token with less time left is not used again.
    private static let reserve = Duration.seconds(60)

    /// Creates an authorizer.
    ///
    /// - Parameter caller: the command, for providers that ask the user.
    init(_ tool: ToolSession, caller: UserMessage, time: any TimeSource) {
        self.tool = tool
        self.caller = caller
        self.time = time
    }

    /// Returns a request with a fresh credential, and the token in it.
    ///
    /// - Parameter refused: the token that the server no longer accepts, to be replaced by a new one.
    func authorized(_ request: WebRequest, refused: Secret?) async throws(AuthFailure) -> (request: WebRequest, token: Secret) {
        let issued = try await token(for: request.url, refused: refused)
        var authorized = tool.provider.resourceDialect.authorized(request, with: issued)
        if issued.isBound {
            let proof = try await tool.service.proof(
                ProofRequest(
                    session: tool.session.name, accessToken: issued.token, method: request.method.rawValue, url: request.url,
                    nonce: nonces.nonce(for: request.url, as: .resourceServer)))
            authorized.headers.append(("DPoP", proof))
        }
        return (authorized, issued.token)
    }

    private func token(for url: WebURL, refused: Secret?) async throws(AuthFailure) -> IssuedToken {
        if refused == nil, let recent, time.bootTime < recent.until { return recent.issued }
        recent = nil
        let issued = try await tool.service.token(
            TokenRequest(session: tool.session.name, caller: caller, resource: tool.resource ?? url, refused: refused))
        let lasts = issued.expiresAt.map { $0 - time.now > Self.reserve + Self.reuse } ?? false
        if lasts { recent = (issued, time.bootTime + Self.reuse) }
        return issued
    }

    /// Whether the same request with the same token may succeed now, because the server has just given a nonce for its proof.
    func hasNewNonce(after answer: WebResponse, to request: WebRequest) -> Bool {
        nonces.retryNonce(after: answer, to: request, as: .resourceServer, isRetry: false) != nil
    }
}
