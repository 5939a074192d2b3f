internal import AuthModel
internal import OAuth

extension OpenIDAdapter {
    /// Sends a request to the authorization server that shows who the client is, with a proof where there is a key, and again where the
    /// server wants its nonce in it.
    ///
    /// What the client is shown by is made anew each time: an assertion is good for one request.
    func ask(
        _ metadata: ProviderMetadata, proving prover: ProofSigner? = nil, _ build: (OAuthClient) throws(OAuthError) -> WebRequest
    ) async throws(AuthFailure) -> (response: WebResponse, client: OAuthClient) {
        var isRetry = false
        while true {
            let client = try await client(metadata)
            var request: WebRequest
            do { request = try build(client) } catch { throw error.failure }
            guard let prover else { return (try await send(request), client) }
            request = try await prover.prove(request, as: .authorizationServer)
            let response = try await send(request)
            guard await prover.nonces.wantsRetry(after: response, to: request, as: .authorizationServer, isRetry: isRetry) else {
                return (response, client)
            }
            isRetry = true
        }
    }

    /// Sends a request with an access token to a resource, with a proof where the token is bound to a key.
    func fetch(_ request: WebRequest, with accessToken: Secret, proving prover: ProofSigner?) async throws(AuthFailure) -> WebResponse {
        guard let prover else { return try await send(request) }
        var isRetry = false
        while true {
            let proved = try await prover.prove(request, as: .resourceServer, accessToken: accessToken)
            let response = try await send(proved)
            guard await prover.nonces.wantsRetry(after: response, to: proved, as: .resourceServer, isRetry: isRetry) else {
                return response
            }
            isRetry = true
        }
    }

    /// The key for a new session's tokens; `nil` where the provider binds none, or that is switched off.
    func newProver(_ metadata: ProviderMetadata) throws(AuthFailure) -> ProofSigner? {
        do {
            guard try ProofOfPossession.isUsed(configuration.proofs, at: metadata) else { return nil }
        } catch {
            throw error.failure
        }
        var random = SystemRandomNumberGenerator()
        return ProofSigner(key: ProofKeyPair(using: &random), nonces: nonces, time: environment.time)
    }

    /// The key that a session's tokens are bound to.
    func prover(of record: SessionRecord) -> ProofSigner? {
        SessionExtras(record.extras).proofKey.map { ProofSigner(key: $0, nonces: nonces, time: environment.time) }
    }

    /// An error of the token endpoint in the words of this provider: a token that is bound to nothing, where a bound one was asked for, is
    /// a step down and not an unknown type. A refusal for want of a proof names the key of the configuration that makes one.
    func failure(_ error: OAuthError, proving prover: ProofSigner?) -> AuthFailure {
        if prover == nil, configuration.proofs == .off, error.wantsProof {
            return AuthFailure(
                .configuration, "\(error.host ?? address) issues only tokens that are bound to a key",
                hint: "set dpop = \"required\" in [providers.\(configuration.name)], and sign in again")
        }
        guard prover != nil, error.kind == .tokenTypeNotUnderstood else { return error.failure }
        return AuthFailure(
            .security, "\(error.host ?? address) gave a token that is bound to no key, though it was asked for a bound one",
            hint: "if that is as it should be, set dpop = \"off\" in [providers.\(configuration.name)]")
    }
}

extension OAuthError {
    /// Whether the server refused a request because it carries no DPoP proof (RFC 9449 sections 5 and 8).
    fileprivate var wantsProof: Bool {
        switch kind {
        case .nonceRequired: true
        case .refused(let error, _): error.code == "invalid_dpop_proof"
        default: false
        }
    }
}
