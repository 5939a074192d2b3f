internal import AuthModel
internal import OAuth

extension OpenIDAdapter {
    func signIn(_ request: SignInRequest, attempt: AttemptReporter) async throws(AuthFailure) -> Grant {
        let metadata = try await attempt.step(.discover) { () async throws(AuthFailure) in try await documents.metadata() }
        // A secret or key that cannot be read is found out before the person goes through the sign-in.
        _ = try await client(metadata)
        let choice = try FlowChoice(
            request, configuration: configuration, metadata: metadata, surroundings: environment.surroundings)
        let signIn = OpenIDSignIn(
            adapter: self, request: request, metadata: metadata,
            opening: try Opening(request: request, configuration: configuration, metadata: metadata), attempt: attempt)
        let outcome = try await signIn.run(choice)
        let tokens = try await attempt.step(.exchange) { () async throws(AuthFailure) in
            switch outcome {
            case .callback(let callback): try await redeem(callback, metadata: metadata)
            case .tokens(let tokens, _): tokens
            }
        }
        return try await attempt.step(.verify) { () async throws(AuthFailure) in
            try await grant(tokens, outcome: outcome, signIn: signIn)
        }
    }

    private func redeem(_ callback: ValidatedCallback, metadata: ProviderMetadata) async throws(AuthFailure) -> TokenSet {
        let (response, _) = try await ask(metadata) { (client, headers) throws(OAuthError) in
            try TokenEndpoint.exchange(callback, at: metadata, client: client, headers: headers)
        }
        do {
            return try TokenResponse.tokens(
                response, .codeExchange, host: metadata.tokenEndpoint?.origin.authority, requested: callback.pending.scopes,
                now: environment.time.now)
        } catch {
            throw error.failure
        }
    }

    /// Sends a request that shows who the client is. What it is shown with is made anew each time: an assertion is good for one request.
    func ask(
        _ metadata: ProviderMetadata, _ build: (OAuthClient, [(name: String, value: String)]) throws(OAuthError) -> WebRequest
    ) async throws(AuthFailure) -> (response: WebResponse, client: OAuthClient) {
        let client = try await client(metadata)
        let request: WebRequest
        do { request = try build(client, []) } catch { throw error.failure }
        return (try await send(request), client)
    }
}
