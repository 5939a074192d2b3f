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
            throw await documents.naming(hinting(error, after: request))
        }
    }

    /// Returns the failure of a sign-in with the hint that fits its request.
    private func hinting(_ failure: AuthFailure, after request: SignInRequest) -> AuthFailure {
        var failure = failure
        switch failure.kind {
        case .denied(let code?) where request.prompt == "none" && Self.needsUser.contains(code):
            failure.hint = "hint.sign_in_without_prompt_none"
        // A server that does not know the client says so to the user in the browser, and nothing to Yett.
        case .timedOut where configuration.registeredScopes != nil:
            failure.hint = UserMessage("hint.sign_in_again_or_register", ["provider": configuration.name])
        default: break
        }
        return failure
    }

    /// The errors of a provider that may not ask the user (OpenID Connect Core section 3.1.2.6).
    private static let needsUser: Set = ["account_selection_required", "consent_required", "interaction_required", "login_required"]

    private func signedIn(
        _ request: SignInRequest, attempt: AttemptReporter, at metadata: ProviderMetadata
    ) async throws(AuthFailure) -> SignInResult {
        // Find an unreadable secret or key before the user goes through the sign-in.
        _ = try await client(metadata)
        let choice = try FlowChoice(request, configuration: configuration, metadata: metadata)
        let signIn = OpenIDSignIn(
            adapter: self, request: request, metadata: metadata, prover: try newProver(metadata),
            opening: try AuthorizationPrompt(request: request, configuration: configuration, metadata: metadata), attempt: attempt)
        let outcome = try await signIn.run(choice)
        let answer = try await attempt.step(.exchange) { () async throws(AuthFailure) in
            switch outcome {
            case .callback(let callback): try await redeem(callback, signIn: signIn)
            case .tokens(let answer): answer
            }
        }
        return try await attempt.step(.verify) { () async throws(AuthFailure) in
            try await result(answer, outcome: outcome, signIn: signIn)
        }
    }

    private func redeem(_ callback: ValidatedCallback, signIn: OpenIDSignIn) async throws(AuthFailure) -> TokenAnswer {
        let metadata = signIn.metadata
        let response = try await ask(metadata, proving: signIn.prover) { (client) throws(OAuthError) in
            try TokenEndpoint.exchange(callback, at: metadata, client: client)
        }.response
        do {
            let tokens = try TokenResponse.tokens(
                response, .codeExchange, host: metadata.tokenEndpoint?.origin.authority, requested: callback.pending.scopes,
                requiresProof: signIn.prover != nil, dialect: configuration.dialect, now: environment.time.now)
            return TokenAnswer(tokens: tokens, response: response)
        } catch {
            throw failure(error, proving: signIn.prover)
        }
    }
}
