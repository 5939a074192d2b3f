internal import AuthEngine
internal import AuthModel
internal import OAuth

/// One session's requests to resources: each is sent with its token, and once more for each thing that a resource may rightly want.
///
/// Every detour is taken at most once for a request: a renewal, a sign-in, a request without a token. So nothing goes round in circles.
final class SessionRequest: ResourceConversation {
    private let session: SessionSummary
    private let provider: ProviderConfiguration
    private let configuration: Configuration
    private let service: any SessionService
    private let terms: TokenRestrictions
    private let response: ChallengeResponse
    private let context: CommandContext
    private var nonces = ProofNonces()
    private var prompt: ConsentPrompt
    private var dialect: any ResourceDialect { provider.resourceDialect }

    init(
        session: SessionSummary, provider: ProviderConfiguration, configuration: Configuration, service: any SessionService,
        terms: TokenRestrictions,
        response: ChallengeResponse, context: CommandContext
    ) {
        self.session = session
        self.provider = provider
        self.configuration = configuration
        self.service = service
        self.terms = terms
        self.response = response
        self.context = context
        prompt = ConsentPrompt(context: context)
    }

    /// The failure that an answer means; `nil` for success.
    func failure(_ answer: WebResponse, from url: WebURL) -> AuthFailure? {
        var failure = dialect.failure(answer, from: url.origin.authority)
        if failure?.hint == nil, dialect.verdict(on: answer) == .refused {
            failure?.hint = "sign in again with: yett login \(session.name.shellWord)"
        }
        return failure
    }

    // MARK: One address

    func settledAnswer(to request: WebRequest) async throws(AuthFailure) -> ResourceAnswer {
        var hasRenewed = false
        var hasSignedIn = false
        var steppedUp: StepUp?
        var refused: Secret?
        while true {
            let (answer, token): (WebResponse, Secret)
            do throws(AuthFailure) {
                (answer, token) = try await send(request, refused: refused)
            } catch  where error.kind == .signInAgain {
                // The session is at its end.
                if response == .anonymous { return try await anonymously(request) }
                if await service.isOpen(provider.name) { return try await anonymously(request) }
                guard response == .prompt, !hasSignedIn else { throw error }
                try await signInAgain(because: error.summary)
                (hasSignedIn, refused) = (true, nil)
                continue
            }
            if let wanted = try await wanted(by: answer, from: request.url, after: steppedUp) {
                switch response {
                case .anonymous: return try await anonymously(request)
                case .fail: throw Self.refused(wanted, by: request.url)
                case .prompt:
                    try requireSpace(for: wanted, at: request.url)
                    try await StepUpSignIn(session: session, provider: provider, service: service, context: context).run(wanted)
                }
                steppedUp = wanted
                continue
            }
            switch dialect.verdict(on: answer) {
            case .taken: return authorized(answer, from: request)
            case .refused:
                guard !hasRenewed, session.isRenewable else {
                    if response == .anonymous { return try await anonymously(request) }
                    guard !hasSignedIn, response == .prompt else { return authorized(answer, from: request) }
                    try await signInAgain(because: "it takes the token no longer")
                    (hasSignedIn, refused) = (true, nil)
                    continue
                }
                // The refused token goes along with the request for another one, so that one renewal serves everybody who was refused: who
                // comes after it gets the token that it brought.
                (hasRenewed, refused) = (true, token)
            case .signInWanted(let reason):
                if response == .anonymous { return try await anonymously(request) }
                guard !hasSignedIn, response == .prompt else { return authorized(answer, from: request) }
                try await signInAgain(because: reason)
                hasSignedIn = true
            }
        }
    }

    /// What the answer wants of the next sign-in. Where it wants more scopes and does not say which, those that the resource's metadata
    /// has.
    private func wanted(by answer: WebResponse, from url: WebURL, after previous: StepUp?) async throws(AuthFailure) -> StepUp? {
        do {
            if let wanted = try StepUp.wanted(by: answer, host: url.origin.authority, after: previous) { return wanted }
        } catch {
            throw error.failure
        }
        guard previous == nil, let challenge = StepUp.scopelessChallenge(in: answer) else { return nil }
        let discovery = ResourceDiscovery(transport: context.edges.transport, time: context.edges.time, caFile: provider.caFile)
        let known = try? await discovery.find(url, challenge: challenge).metadata.scopes
        return StepUp(challenge, scopes: ScopeSet((known ?? []).filter { !session.scopes.contains($0) }))
    }

    private func signInAgain(because reason: String) async throws(AuthFailure) {
        try await StepUpSignIn(session: session, provider: provider, service: service, context: context).repeated(because: reason)
    }

    /// A sign-in brings no scope that the person keeps out of the token.
    private func requireSpace(for wanted: StepUp, at url: WebURL) throws(AuthFailure) {
        let missing = wanted.scopes.values.filter { !terms.scopes.contains($0) }
        guard terms.scopes.isEmpty || missing.isEmpty else {
            throw AuthFailure(
                .denied(code: wanted.reason.code),
                "\(url.origin.authority) wants scopes that --scope leaves out: \(missing.joined(separator: " "))",
                hint: "name them too, or leave --scope out")
        }
    }

    private static func refused(_ wanted: StepUp, by url: WebURL) -> AuthFailure {
        AuthFailure(
            .denied(code: wanted.reason.code), "\(url.origin.authority) wants another sign-in: \(wanted.reason.line)",
            hint: "allow it with --challenge prompt")
    }

    // MARK: Sending

    /// Sends the request with the token as it is now, under the scheme that the session has.
    ///
    /// - Parameter refused: the token that the resource no longer takes, where another one is to be made in its place.
    /// - Returns: the answer, and the token that went along.
    private func send(_ request: WebRequest, refused: Secret?) async throws(AuthFailure) -> (answer: WebResponse, token: Secret) {
        try TokenDestinations(provider: provider).require(request.url, in: configuration)
        let grant = try await prompt.token(
            TokenRequest(session: session.name, terms: terms, caller: "yett request", resource: request.url, refused: refused),
            from: service
        )
        let authorized = dialect.authorized(request, with: grant)
        guard grant.isBound else { return (try await transport.send(authorized, with: grant), grant.token) }
        var isRetry = false
        while true {
            let proof = try await service.proof(
                ProofRequest(
                    session: session.name, accessToken: grant.token, method: request.method.rawValue, url: request.url,
                    nonce: nonces.nonce(for: request.url, as: .resourceServer)))
            var proved = authorized
            proved.headers.append(("DPoP", proof))
            let answer = try await transport.send(proved, with: grant)
            guard nonces.nonceToRetryWith(after: answer, to: proved, as: .resourceServer, isRetry: isRetry) != nil else {
                return (answer, grant.token)
            }
            isRetry = true
        }
    }

    private func anonymously(_ request: WebRequest) async throws(AuthFailure) -> ResourceAnswer {
        ResourceAnswer(url: request.url, response: try await transport.sendAnonymously(request), isAnonymous: true)
    }

    private func authorized(_ answer: WebResponse, from request: WebRequest) -> ResourceAnswer {
        ResourceAnswer(url: request.url, response: answer, isAnonymous: false)
    }

    private var transport: ResourceTransport { ResourceTransport(provider: provider, context: context) }
}
