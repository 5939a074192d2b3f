internal import AuthEngine
internal import AuthModel
internal import OAuth
internal import ProviderKinds
internal import UserConfiguration

/// Sends requests to resources with one session's token, and retries once for each valid reason that a resource gives.
///
/// Takes each recovery step at most once per request: a renewal, a sign-in, a request without a token. So no request loops.
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

    /// Returns the failure that a response means; `nil` for success.
    func failure(_ answer: WebResponse, from url: WebURL) -> AuthFailure? {
        var failure = dialect.failure(answer, from: url.origin.authority)
        if failure?.hint == nil, dialect.verdict(on: answer) == .refused {
            failure?.hint = "sign in again with: yett login \(session.name.shellWord)"
        }
        return failure
    }

    // MARK: One address

    func finalResponse(to request: WebRequest) async throws(AuthFailure) -> ResourceResponse {
        var hasRenewed = false
        var hasSignedIn = false
        var steppedUp: StepUp?
        var refused: Secret?
        while true {
            let (answer, token): (WebResponse, Secret)
            do throws(AuthFailure) {
                (answer, token) = try await send(request, refused: refused)
            } catch  where error.kind == .signInAgain {
                // The session has expired and cannot be renewed.
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
                    try await signInAgain(because: "it no longer accepts the token")
                    (hasSignedIn, refused) = (true, nil)
                    continue
                }
                // The token request names the refused token, so that concurrent requests with the same token share one renewal: a later one
                // gets the token of the first renewal.
                (hasRenewed, refused) = (true, token)
            case .signInWanted(let reason):
                if response == .anonymous { return try await anonymously(request) }
                guard !hasSignedIn, response == .prompt else { return authorized(answer, from: request) }
                try await signInAgain(because: reason)
                hasSignedIn = true
            }
        }
    }

    /// Returns the sign-in that the response requires. If it requires more scopes without naming them, uses the scopes in the resource's
    /// metadata.
    private func wanted(by answer: WebResponse, from url: WebURL, after previous: StepUp?) async throws(AuthFailure) -> StepUp? {
        do {
            if let wanted = try StepUp.wanted(by: answer, host: url.origin.authority, after: previous) { return wanted }
        } catch {
            throw error.failure
        }
        guard previous == nil, let challenge = StepUp.challengeWithoutScopes(in: answer) else { return nil }
        let discovery = ResourceDiscovery(transport: context.edges.transport, time: context.edges.time, caFile: provider.caFile)
        let known = try? await discovery.find(url, challenge: challenge).metadata.scopes
        return StepUp(challenge, scopes: ScopeSet((known ?? []).filter { !session.scopes.contains($0) }))
    }

    private func signInAgain(because reason: String) async throws(AuthFailure) {
        try await StepUpSignIn(session: session, provider: provider, service: service, context: context).repeated(because: reason)
    }

    /// Throws if the resource requires scopes that the user excluded from the token with `--scope`; a sign-in could not add them.
    private func requireSpace(for wanted: StepUp, at url: WebURL) throws(AuthFailure) {
        let missing = wanted.scopes.values.filter { !terms.scopes.contains($0) }
        guard terms.scopes.isEmpty || missing.isEmpty else {
            throw AuthFailure(
                .denied(code: wanted.reason.code),
                "\(url.origin.authority) requires scopes that --scope excludes: \(missing.joined(separator: " "))",
                hint: "add them with --scope, or remove --scope")
        }
    }

    private static func refused(_ wanted: StepUp, by url: WebURL) -> AuthFailure {
        AuthFailure(
            .denied(code: wanted.reason.code), "\(url.origin.authority) requires another sign-in: \(wanted.reason.line)",
            hint: "allow it with --challenge prompt")
    }

    // MARK: Sending

    /// Sends the request with the current token, in the session's authorization scheme.
    ///
    /// - Parameter refused: the token that the resource no longer accepts, to be replaced by a new one.
    /// - Returns: the response, and the token that was sent.
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
            guard nonces.retryNonce(after: answer, to: proved, as: .resourceServer, isRetry: isRetry) != nil else {
                return (answer, grant.token)
            }
            isRetry = true
        }
    }

    private func anonymously(_ request: WebRequest) async throws(AuthFailure) -> ResourceResponse {
        ResourceResponse(url: request.url, response: try await transport.sendAnonymously(request), isAnonymous: true)
    }

    private func authorized(_ answer: WebResponse, from request: WebRequest) -> ResourceResponse {
        ResourceResponse(url: request.url, response: answer, isAnonymous: false)
    }

    private var transport: ResourceTransport { ResourceTransport(provider: provider, context: context) }
}
