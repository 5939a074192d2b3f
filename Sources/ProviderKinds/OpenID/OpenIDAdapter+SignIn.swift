internal import AuthEngine
internal import AuthModel
internal import OAuth

extension OpenIDAdapter {
    func signIn(
        _ request: SignInRequest, attempt: AttemptReporter, sessions: any BaseSessions
    ) async throws(AuthFailure) -> SignInOutcome {
        .session(try await signedIn(request, attempt: attempt))
    }

    /// Runs one sign-in, and returns its session.
    func signedIn(_ request: SignInRequest, attempt: AttemptReporter) async throws(AuthFailure) -> SignInResult {
        let metadata = try await attempt.step(.discover) { () async throws(AuthFailure) in try await documents.metadata() }
        do throws(AuthFailure) {
            return try await signedIn(request, attempt: attempt, at: metadata)
        } catch {
            throw await documents.naming(error)
        }
    }

    private func signedIn(
        _ request: SignInRequest, attempt: AttemptReporter, at metadata: ProviderMetadata
    ) async throws(AuthFailure) -> SignInResult {
        // Find an unreadable secret or key before the user goes through the sign-in.
        _ = try await client(metadata)
        try await requireKnownClient(metadata)
        let choice = try FlowChoice(request, configuration: configuration, metadata: metadata)
        let signIn = OpenIDSignIn(
            adapter: self, request: request, metadata: metadata, prover: try newProver(metadata),
            opening: try AuthorizationPrompt(request: request, configuration: configuration, metadata: metadata), attempt: attempt)
        let outcome = try await signIn.run(choice)
        let tokens = try await attempt.step(.exchange) { () async throws(AuthFailure) in
            switch outcome {
            case .callback(let callback): try await redeem(callback, signIn: signIn)
            case .tokens(let tokens, _): tokens
            }
        }
        return try await attempt.step(.verify) { () async throws(AuthFailure) in
            try await result(tokens, outcome: outcome, signIn: signIn)
        }
    }

    private func redeem(_ callback: ValidatedCallback, signIn: OpenIDSignIn) async throws(AuthFailure) -> TokenSet {
        let metadata = signIn.metadata
        let response = try await ask(metadata, proving: signIn.prover) { (client) throws(OAuthError) in
            try TokenEndpoint.exchange(callback, at: metadata, client: client)
        }.response
        do {
            return try TokenResponse.tokens(
                response, .codeExchange, host: metadata.tokenEndpoint?.origin.authority, requested: callback.pending.scopes,
                requiresProof: signIn.prover != nil, now: environment.time.now)
        } catch {
            throw failure(error, proving: signIn.prover)
        }
    }
}
