package import AuthModel
package import OAuth

/// Sends requests to resources with one session's token, and recovers as ``SessionExchange`` decides.
package final class SessionRequest: ResourceConversation {
    private let session: SessionSummary
    private let dialect: any ResourceDialect
    private let service: any SessionService
    private let restrictions: TokenRestrictions
    private let challenge: ChallengeResponse
    private let sender: any ResourceSender
    private let requireDestination: (WebURL) throws(AuthFailure) -> Void
    private var user: any ResourceUser
    private var nonces = ProofNonces()

    /// Creates a conversation.
    ///
    /// - Parameters:
    ///   - session: the session whose token is sent.
    ///   - dialect: how requests to the provider's resources are made.
    ///   - restrictions: the restrictions of the token.
    ///   - challenge: what to do when a resource requires another sign-in.
    ///   - requireDestination: throws if a token must not be sent to a URL.
    package init(
        session: SessionSummary, dialect: any ResourceDialect, service: any SessionService, restrictions: TokenRestrictions,
        challenge: ChallengeResponse, sender: any ResourceSender, user: any ResourceUser,
        requireDestination: @escaping (WebURL) throws(AuthFailure) -> Void
    ) {
        self.session = session
        self.dialect = dialect
        self.service = service
        self.restrictions = restrictions
        self.challenge = challenge
        self.sender = sender
        self.user = user
        self.requireDestination = requireDestination
    }

    package func failure(_ answer: WebResponse, from url: WebURL) -> AuthFailure? {
        var failure = dialect.failure(answer, from: url.origin.authority)
        if failure?.hint == nil, dialect.verdict(on: answer) == .refused {
            failure?.hint = UserMessage("hint.sign_in_again_anyway", ["provider": session.name])
        }
        return failure
    }

    package func finalResponse(to request: WebRequest) async throws(AuthFailure) -> ResourceResponse {
        var exchange = SessionExchange(
            challenge: challenge, restrictions: restrictions, host: request.url.origin.authority)
        var step = exchange.first
        var answer: WebResponse?
        while true {
            let event: SessionExchange.Event
            switch step {
            case .send(let refused):
                let (response, token): (WebResponse, Secret)
                do throws(AuthFailure) {
                    (response, token) = try await send(request, refused: refused)
                } catch  where error.kind == .signInAgain {
                    step = exchange.next(after: .sessionEnded(error))
                    continue
                }
                answer = response
                event = .answered(
                    dialect.verdict(on: response),
                    required: try await required(by: response, from: request.url, after: exchange.lastStepUp), token: token)
            case .askWhetherOpen(let failure):
                event = .openness(await service.isUsableWithoutSignIn(session.name.provider), failure)
            case .signIn(let reason):
                try await user.signInAgain(to: session, because: reason)
                event = .signedIn
            case .stepUp(let required):
                try await user.stepUp(session, to: required)
                event = .signedIn
            case .sendAnonymously:
                return ResourceResponse(
                    url: request.url, response: try await sender.sendAnonymously(request, login: nil), isAnonymous: true)
            case .finish:
                guard let answer else { throw AuthFailure(.bug, "resource.ended_without_response") }
                return ResourceResponse(url: request.url, response: answer, isAnonymous: false)
            case .fail(let failure): throw failure
            }
            step = exchange.next(after: event)
        }
    }

    /// Returns the sign-in that the response requires. If it requires more scopes without naming them, uses the scopes in the resource's
    /// metadata.
    private func required(by answer: WebResponse, from url: WebURL, after previous: StepUp?) async throws(AuthFailure) -> StepUp? {
        do {
            if let required = try StepUp.wanted(by: answer, host: url.origin.authority, after: previous) { return required }
        } catch {
            throw error.failure
        }
        guard previous == nil, let challenge = StepUp.challengeWithoutScopes(in: answer) else { return nil }
        let known = await sender.scopes(of: url, after: challenge)
        return StepUp(challenge, scopes: ScopeSet(known.filter { !session.scopes.contains($0) }))
    }

    /// Sends the request with the current token, in the session's authorization scheme.
    ///
    /// - Parameter refused: the token that the resource no longer accepts, to be replaced by a new one.
    /// - Returns: the response, and the token that was sent.
    private func send(_ request: WebRequest, refused: Secret?) async throws(AuthFailure) -> (answer: WebResponse, token: Secret) {
        try requireDestination(request.url)
        let issued = try await user.token(
            TokenRequest(
                session: session.name, restrictions: restrictions, caller: .verbatim("yett request"), resource: request.url,
                refused: refused),
            from: service)
        let authorized = dialect.authorized(request, with: issued)
        guard issued.isBound else { return (try await sender.send(authorized, with: issued, login: nil), issued.token) }
        var isRetry = false
        while true {
            let proof = try await service.proof(
                ProofRequest(
                    session: session.name, accessToken: issued.token, method: request.method.rawValue, url: request.url,
                    nonce: nonces.nonce(for: request.url, as: .resourceServer)))
            var proved = authorized
            proved.headers.append(("DPoP", proof))
            let answer = try await sender.send(proved, with: issued, login: nil)
            guard nonces.retryNonce(after: answer, to: proved, as: .resourceServer, isRetry: isRetry) != nil else {
                return (answer, issued.token)
            }
            isRetry = true
        }
    }
}

extension SessionService {
    /// Asks the provider whether its resources can be used without signing in. Returns `false` if the provider does not respond.
    package func isUsableWithoutSignIn(_ provider: ProviderName) async -> Bool {
        guard let details = try? await details(of: provider) else { return false }
        return !details.isSignInRequired
    }
}
