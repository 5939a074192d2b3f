internal import AuthModel
internal import OAuth

extension OpenIDAdapter {
    func signIn(_ request: SignInRequest, attempt: AttemptReporter) async throws(AuthFailure) -> Grant {
        let metadata = try await attempt.step(.discover) { () async throws(AuthFailure) in try await documents.metadata() }
        let client = try await client(metadata)
        let opening = try Opening(request: request, configuration: configuration, metadata: metadata)
        let listener = try await LoopbackListener.bind(rules: configuration.redirects, port: request.port)
        let callback: ValidatedCallback
        do throws(AuthFailure) {
            callback = try await awaitAnswer(request, opening: opening, metadata: metadata, listener: listener, attempt: attempt)
        } catch {
            await listener.close()
            throw error
        }
        // The port is open only while an answer is awaited.
        await listener.close()
        return try await redeem(callback, request: request, client: client, metadata: metadata, attempt: attempt)
    }

    private func awaitAnswer(
        _ request: SignInRequest, opening: Opening, metadata: ProviderMetadata, listener: LoopbackListener, attempt: AttemptReporter
    ) async throws(AuthFailure) -> ValidatedCallback {
        let prepared = try prepare(request, opening: opening, metadata: metadata, redirectURI: listener.redirectURI)
        let timeout = request.timeout ?? configuration.loginTimeout
        try await attempt.step(.open) { () async throws(AuthFailure) in
            let tokenHost = metadata.tokenEndpoint?.origin.authority ?? prepared.url.origin.authority
            attempt.report(.hosts(authorization: prepared.url.origin.authority, token: tokenHost))
            attempt.report(.deadline(environment.time.now + timeout))
            if let page = opening.signUpPage { attempt.report(.opened(.signUpPage(page))) }
            attempt.report(.opened(.browser(url: prepared.url, redirect: listener.redirectURI)))
            attempt.report(.opened(.paste))
        }
        let desk = AnswerDesk(pending: prepared.pending, report: attempt.report)
        await attempt.pastes.open { (text) async throws(AuthFailure) in try await desk.judge(pasted: text) }
        let deadline = environment.time.bootTime + timeout
        let callback = try await attempt.step(.wait) { () async throws(AuthFailure) in
            try await first(of: desk, listener: listener, deadline: deadline)
        }
        await attempt.pastes.close()
        return callback
    }

    private func prepare(
        _ request: SignInRequest, opening: Opening, metadata: ProviderMetadata, redirectURI: String
    ) throws(AuthFailure) -> AuthorizationRequest.Prepared {
        let authorization = AuthorizationRequest(
            clientID: configuration.clientID, redirectURI: redirectURI,
            scopes: request.scopes.isEmpty ? configuration.scopes : request.scopes, prompt: opening.prompt, loginHint: request.loginHint,
            maxAge: request.maxAge, acrValues: request.acrValues, uiLocales: request.uiLocales,
            extraParameters: configuration.extraParameters)
        var random = SystemRandomNumberGenerator()
        do { return try authorization.prepare(for: metadata, using: &random) } catch { throw error.failure }
    }

    /// The first of: an answer that counts, the deadline, the person's cancelling.
    private func first(of desk: AnswerDesk, listener: LoopbackListener, deadline: Duration) async throws(AuthFailure) -> ValidatedCallback {
        let outcome = await withTaskGroup(of: Result<ValidatedCallback, AuthFailure>?.self) { group in
            group.addTask { await desk.answer() }
            group.addTask {
                do throws(AuthFailure) {
                    try await listener.serve { await desk.judge($0) }
                    return nil
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                do { try await environment.time.sleep(until: deadline) } catch { return nil }
                return .failure(await desk.timedOut())
            }
            var outcome: Result<ValidatedCallback, AuthFailure>?
            while outcome == nil, let next = await group.next() { outcome = next }
            // The browser's page is on its way while the answer already counts; closing the listener lets it out first.
            group.cancelAll()
            return outcome ?? .failure(AuthFailure(.cancelled, "the sign-in was cancelled"))
        }
        return try outcome.get()
    }

    private func redeem(
        _ callback: ValidatedCallback, request: SignInRequest, client: OAuthClient, metadata: ProviderMetadata, attempt: AttemptReporter
    ) async throws(AuthFailure) -> Grant {
        let tokens = try await attempt.step(.exchange) { () async throws(AuthFailure) in
            try await exchange(callback, client: client, metadata: metadata)
        }
        return try await attempt.step(.verify) { () async throws(AuthFailure) in
            try await grant(tokens, callback: callback, request: request, metadata: metadata)
        }
    }

    private func exchange(
        _ callback: ValidatedCallback, client: OAuthClient, metadata: ProviderMetadata
    ) async throws(AuthFailure) -> TokenSet {
        let request: WebRequest
        do { request = try TokenEndpoint.exchange(callback, at: metadata, client: client) } catch { throw error.failure }
        let response = try await send(request)
        do {
            return try TokenResponse.tokens(
                response, .codeExchange, host: request.url.origin.authority, requested: callback.pending.scopes, now: environment.time.now)
        } catch {
            throw error.failure
        }
    }
}
