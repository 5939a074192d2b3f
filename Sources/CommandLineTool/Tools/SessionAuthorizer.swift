internal import AuthModel
internal import OAuth
internal import ProviderKinds

/// Adds the credentials of one session to requests that another program makes: a fresh token for each, with a proof if it is bound to a key.
actor SessionAuthorizer {
    nonisolated let tool: ToolSession
    private let caller: UserMessage
    private var nonces = ProofNonces()

    /// Creates an authorizer.
    ///
    /// - Parameter caller: the command, for providers that ask the user.
    init(_ tool: ToolSession, caller: UserMessage) {
        self.tool = tool
        self.caller = caller
    }

    /// Returns a request with a fresh credential, and the token in it.
    ///
    /// - Parameter refused: the token that the server no longer accepts, to be replaced by a new one.
    func authorized(_ request: WebRequest, refused: Secret?) async throws(AuthFailure) -> (request: WebRequest, token: Secret) {
        // No token is kept: a lock, a sign-out or a block takes effect with the next request. The agent answers from its memory.
        let issued = try await tool.service.token(
            TokenRequest(session: tool.session.name, caller: caller, resource: tool.resource ?? request.url, refused: refused))
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

    /// Whether the same request with the same token may succeed now, because the server has just given a nonce for its proof.
    func hasNewNonce(after answer: WebResponse, to request: WebRequest) -> Bool {
        nonces.retryNonce(after: answer, to: request, as: .resourceServer, isRetry: false) != nil
    }
}
