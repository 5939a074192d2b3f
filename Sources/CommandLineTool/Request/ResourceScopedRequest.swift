internal import AuthModel
internal import OAuth
internal import ProviderKinds
internal import ResourceClient

/// Sends requests for provider kinds whose sessions belong to resources: selects the session and token separately for every address, and
/// recovers as ``ResourceClient/ResourceExchange`` decides.
final class ResourceScopedRequest: ResourceConversation {
    private let name: SessionName
    private let provider: ProviderConfiguration
    private let dialect: any ResourceDialect
    private let service: any SessionService
    private let challenge: ChallengeResponse
    private let requirement: SessionRequirement
    private let webServers: WebServerCredentials
    private var user: CommandLineUser

    /// Creates a conversation.
    ///
    /// - Parameters:
    ///   - name: the session, or the provider, that the user named.
    ///   - challenge: what to do when a resource requires another sign-in.
    ///   - requirement: which sessions the requests may use.
    init(
        name: SessionName, provider: ProviderConfiguration, service: any SessionService, challenge: ChallengeResponse,
        requirement: SessionRequirement, sender: ResourceTransport, user: CommandLineUser
    ) {
        self.name = name
        self.provider = provider
        dialect = provider.resourceDialect
        self.service = service
        self.challenge = challenge
        self.requirement = requirement
        self.user = user
        webServers = WebServerCredentials(dialect: dialect, mayAsk: challenge == .prompt, sender: sender, user: user)
    }

    func response(to request: WebRequest) async throws(AuthFailure) -> ResourceResponse {
        try await following(dialect.prepared(request)) { (request) throws(AuthFailure) in try await finalResponse(to: request) }
    }

    func failure(_ answer: WebResponse, from url: WebURL) -> AuthFailure? { dialect.failure(answer, from: url.origin.authority) }

    /// Returns the final response from one address, with any status; a redirect counts as a response.
    private func finalResponse(to request: WebRequest) async throws(AuthFailure) -> ResourceResponse {
        var exchange = ResourceExchange(
            name: name, host: request.url.origin.authority, challenge: challenge, requirement: requirement, isRead: dialect.isRead(request),
            confirmsUntrustedCertificates: provider.kindSettings?.confirmsUntrustedCertificates == true)
        var step = exchange.next(after: .started(isSignedIn: try await isSignedIn()))
        var answer: WebResponse?
        while true {
            let event: ResourceExchange.Event
            switch step {
            case .select(let refused): event = try await credentials(for: request.url, refused: refused, exchange)
            case .send(let credentials, let warning):
                if let warning { user.warn(warning) }
                do throws(AuthFailure) {
                    answer = try await send(request, credentials)
                } catch {
                    step = exchange.next(after: .notSent(error))
                    continue
                }
                event = try await meaning(of: answer, credentials, exchange)
            case .signIn(let failure):
                event = try await signIn(failure, for: request.url)
            case .sendAnonymously:
                user.note(UserMessage("resource.sent_without_token"))
                return ResourceResponse(url: request.url, response: try await webServers.send(request), isAnonymous: true)
            case .finish(let withoutToken):
                if let withoutToken { try await warnAboutMissingToken(withoutToken) }
                return try response(answer, from: request.url, isAnonymous: withoutToken != nil)
            case .finishRefused: return try response(answer, from: request.url, isAnonymous: true)
            case .fail(let failure): throw failure
            }
            step = exchange.next(after: event)
        }
    }

    private func response(_ answer: WebResponse?, from url: WebURL, isAnonymous: Bool) throws(AuthFailure) -> ResourceResponse {
        guard let answer else { throw AuthFailure(.bug, "resource.ended_without_response") }
        return ResourceResponse(url: url, response: answer, isAnonymous: isAnonymous)
    }

    // MARK: Credentials

    private func isSignedIn() async throws(AuthFailure) -> Bool {
        guard requirement == .signedIn else { return false }
        return try await service.sessions().contains { isNamed($0) && $0.recordedState == .signedIn }
    }

    private func isNamed(_ session: SessionSummary) -> Bool {
        session.name.provider == name.provider && (name.account == nil || session.name.account == name.account)
    }

    private func credentials(
        for url: WebURL, refused: Secret?, _ exchange: ResourceExchange
    ) async throws(AuthFailure) -> ResourceExchange.Event {
        var request = TokenRequest(session: name, caller: .verbatim("yett request"), resource: url, refused: refused)
        request.webServerLogin = webServers.login(for: url)
        let token: IssuedToken
        do throws(AuthFailure) {
            token = try await user.token(request, from: service)
        } catch  where error.kind == .security && (name.account != nil || !CredentialGate(provider).discoversServers) {
            // The user named the account, or the provider cannot have servers at other hosts. Send nothing.
            throw error
        } catch  where [.notSignedIn, .signInAgain, .security].contains(error.kind) {
            guard error.kind == .signInAgain, exchange.mayUseGuest else { return .notIssued(error, hasGuest: false) }
            return .notIssued(error, hasGuest: try await service.sessions().contains { isNamed($0) && $0.recordedState == .guest })
        }
        return .issued(token, session: exchange.needsSession ? try await session(of: token) : nil)
    }

    private func session(of token: IssuedToken) async throws(AuthFailure) -> SessionSummary? {
        try await service.sessions().first { $0.name == token.session }
    }

    // MARK: Sending

    /// Sends a request with its credentials. Returns `nil` if a request without a token first had to sign in at a web server in front: then
    /// only a probe was sent, and the credentials must be selected again.
    private func send(_ request: WebRequest, _ credentials: ResourceExchange.Credentials) async throws(AuthFailure) -> WebResponse? {
        guard case .token(let token) = credentials else { return try await webServers.sendOrProbe(request) }
        let answer = try await webServers.send(dialect.authorized(request, with: token), with: token)
        if let new = dialect.newToken(in: answer), new != token.token {
            // If the token cannot be stored, the next request is refused, and that recovers the session.
            try? await service.adopt(new, inPlaceOf: token.token, in: token.session, from: request.url)
        }
        return answer
    }

    /// Returns what an answer means; `nil` stands for the probe that a web server in front let through.
    private func meaning(
        of answer: WebResponse?, _ credentials: ResourceExchange.Credentials, _ exchange: ResourceExchange
    ) async throws(AuthFailure) -> ResourceExchange.Event {
        guard let answer else { return .admitted }
        guard dialect.verdict(on: answer) != .accepted else { return .accepted }
        guard case .token(let token) = credentials else { return .refused(reason: dialect.reason(answer), session: nil) }
        let session = exchange.needsSessionAfterRefusal ? try await session(of: token) : nil
        return .refused(reason: dialect.reason(answer), session: session)
    }

    /// Warns that no token was sent, and why, if the provider has any session.
    private func warnAboutMissingToken(_ failure: AuthFailure) async throws(AuthFailure) {
        let hasSession = try await service.sessions().contains { $0.name.provider == name.provider }
        if hasSession { user.warn(UserMessage("resource.sent_without_token_because", ["detail": failure.message])) }
    }

    private func signIn(_ failure: AuthFailure, for url: WebURL) async throws(AuthFailure) -> ResourceExchange.Event {
        user.note(UserMessage("resource.requires_sign_in", ["detail": failure.message]))
        var request = SignInRequest(provider: provider.name, account: name.account, resources: [url.text])
        request.replacesSession = true
        return try await user.signIn(request) ? .signedIn : .signInSkipped
    }
}
