internal import AuthEngine
internal import AuthModel
internal import OAuth

extension OpenIDAdapter {
    /// Sends a request with client authentication to the authorization server. With a key, it has a DPoP proof, and is sent again if the
    /// server requires a nonce in it.
    ///
    /// The client authentication is made again for each try, because an assertion is valid for one request.
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

    /// Sends a request with an access token to a resource, with a DPoP proof if the token is bound to a key.
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

    /// Creates the key for a new session's tokens; `nil` if the provider binds none, or if DPoP is off.
    func newProver(_ metadata: ProviderMetadata) throws(AuthFailure) -> ProofSigner? {
        do {
            guard try ProofOfPossession.isUsed(configuration.proofs, at: metadata) else { return nil }
        } catch {
            throw error.failure
        }
        var random = SystemRandomNumberGenerator()
        return ProofSigner(key: ProofKeyPair(using: &random), nonces: nonces, time: environment.time)
    }

    /// Returns the key that a session's tokens are bound to.
    func prover(of record: SessionRecord) -> ProofSigner? {
        SessionExtras(record.extras).proofKey.map { ProofSigner(key: $0, nonces: nonces, time: environment.time) }
    }

    /// Returns the failure for an error of the token endpoint. An unbound token instead of a requested bound one is a downgrade, not an
    /// unknown token type. A refusal because of a missing proof names the configuration key that enables proofs.
    func failure(_ error: OAuthError, proving prover: ProofSigner?) -> AuthFailure {
        if prover == nil, configuration.proofs == .off, error.wantsProof {
            return AuthFailure(
                .configuration, UserMessage("token.only_bound_tokens", ["host": error.host ?? address]),
                hint: UserMessage("hint.set_dpop_required", ["provider": configuration.name]))
        }
        guard prover != nil, error.kind == .tokenTypeNotUnderstood else { return error.failure }
        return AuthFailure(
            .security, UserMessage("token.not_bound_although_requested", ["host": error.host ?? address]),
            hint: UserMessage("hint.set_dpop_off", ["provider": configuration.name]))
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
