package import AuthModel
package import OAuth

/// Sends requests to resources with one session's token, or without a token.
package protocol ResourceConversation {
    /// Returns the final response, with any status. Follows redirects within one host.
    func answer(to request: WebRequest) async throws(AuthFailure) -> ResourceResponse

    /// Returns the failure that a response means; `nil` for success.
    func failure(_ answer: WebResponse, from url: WebURL) -> AuthFailure?
}

extension ResourceConversation {
    /// Follows the redirects of a request, each of which is a request of its own.
    func following(
        _ request: WebRequest, _ send: (WebRequest) async throws(AuthFailure) -> ResourceResponse
    ) async throws(AuthFailure) -> ResourceResponse {
        var (request, redirects) = (request, Redirects())
        while true {
            let answer = try await send(request)
            let response = answer.response
            let next = try redirects.target(of: request, status: response.status, location: response.header("Location"))
            guard let next else { return answer }
            request.url = next
        }
    }
}

/// The final response of a resource, and how it was requested.
package struct ResourceResponse: Sendable {
    /// The address that responded, after redirects within its host.
    package let url: WebURL
    /// The response.
    package let response: WebResponse
    /// Whether the request was sent without a token.
    package let isAnonymous: Bool
}

/// Sends requests to resources with one session's token, and recovers as ``AuthorizedRequest`` decides.
package final class SessionRequest: ResourceConversation {
    private let session: SessionSummary
    private let dialect: any ResourceDialect
    private let service: any SessionService
    private let restrictions: TokenRestrictions
    private let challenge: ChallengeResponse
    private let sender: any ResourceSender
    private let requireDestination: (WebURL) throws(AuthFailure) -> Void
    private let proofs: ProofSource
    private var user: any ResourceUser

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
        proofs = ProofSource(service)
    }

    package func answer(to request: WebRequest) async throws(AuthFailure) -> ResourceResponse {
        let exchange = AuthorizedRequest(request, challenge: challenge, restrictions: restrictions, redirects: Redirects())
        let (response, url, credential) = try await response(to: exchange)
        return ResourceResponse(url: url, response: response, isAnonymous: credential == nil)
    }

    package func failure(_ answer: WebResponse, from url: WebURL) -> AuthFailure? {
        var failure = dialect.failure(answer, from: url.origin.authority)
        if failure?.hint == nil, dialect.verdict(on: answer) == .refused {
            failure?.hint = UserMessage("hint.sign_in_again_anyway", ["provider": session.name])
        }
        return failure
    }
}

extension SessionRequest: RequestDriver {
    package func credential(for url: WebURL, refused: Secret?) async throws(AuthFailure) -> SessionCredential? {
        try requireDestination(url)
        let request = TokenRequest(
            session: session.name, restrictions: restrictions, caller: .verbatim("yett request"), resource: url, refused: refused)
        return SessionCredential(try await user.token(request, from: service), dialect: dialect, proofs: proofs)
    }

    package func send(_ request: WebRequest, with credential: SessionCredential?) async throws(AuthFailure) -> WebResponse {
        guard let credential else { return try await sender.sendAnonymously(request, login: nil) }
        return try await sender.send(request, with: credential.issued, login: nil)
    }

    package func received(_ response: WebResponse) -> WebResponse { response }

    package func verdict(on answer: WebResponse, to credential: SessionCredential?) -> TokenVerdict { dialect.verdict(on: answer) }

    package func isUsableWithoutSignIn() async -> Bool { await service.isUsableWithoutSignIn(session.name.provider) }

    package func requiredSignIn(
        in answer: WebResponse, from url: WebURL, after previous: StepUp?
    ) async throws(AuthFailure) -> StepUp? {
        try await StepUp.required(by: answer, from: url, of: session, after: previous) { await sender.scopes(of: url, after: $0) }
    }

    package func stepUp(to required: StepUp, refused token: Secret?) async throws(AuthFailure) -> Bool {
        try await user.stepUp(session, to: required)
        return true
    }

    package func signIn(because cause: AuthorizedRequest.SignInCause, after answer: WebResponse?) async throws(AuthFailure) {
        switch cause {
        case .noToken(let failure, _): try await user.signInAgain(to: session, because: failure.message)
        case .refused(let reason): try await user.signInAgain(to: session, because: reason)
        }
    }
}

/// Sends requests without a token, because there is no session and no sign-in is wanted or needed.
package struct AnonymousRequest: ResourceConversation {
    private let dialect: any ResourceDialect
    private let sender: any ResourceSender
    private let user: any ResourceUser

    /// Creates a conversation.
    package init(dialect: any ResourceDialect, sender: any ResourceSender, user: any ResourceUser) {
        self.dialect = dialect
        self.sender = sender
        self.user = user
    }

    package func answer(to request: WebRequest) async throws(AuthFailure) -> ResourceResponse {
        try await following(request) { (request) throws(AuthFailure) in
            user.note(UserMessage("resource.sent_without_token"))
            return ResourceResponse(
                url: request.url, response: try await sender.sendAnonymously(request, login: nil), isAnonymous: true)
        }
    }

    package func failure(_ answer: WebResponse, from url: WebURL) -> AuthFailure? {
        dialect.failure(answer, from: url.origin.authority)
    }
}

extension SessionService {
    /// Asks the provider whether its resources can be used without signing in. Returns `false` if the provider does not respond.
    package func isUsableWithoutSignIn(_ provider: ProviderName) async -> Bool {
        guard let details = try? await details(of: provider) else { return false }
        return !details.isSignInRequired
    }
}

/// The user of a request: is told what happens, and is asked to sign in.
package protocol ResourceUser {
    /// Whether the user can be asked for text.
    var canAsk: Bool { get }

    /// Shows progress in one line.
    func note(_ message: UserMessage)

    /// Shows a warning in one line.
    func warn(_ message: UserMessage)

    /// Returns a token, and asks for the user's consent if the provider's policy requires it.
    mutating func token(_ request: TokenRequest, from service: any SessionService) async throws(AuthFailure) -> IssuedToken

    /// Asks for the user name and password of a web server. Throws `.cancelled` if the user gives none.
    func webServerLogin(_ scheme: WebServerLogin.Scheme, at origin: Origin) async throws(AuthFailure) -> WebServerLogin

    /// Signs in for a resource. Returns false if the user chooses to continue without a sign-in.
    func signIn(_ request: SignInRequest) async throws(AuthFailure) -> Bool

    /// Signs in again to a session that a resource no longer accepts, for the resource's reason.
    func signInAgain(to session: SessionSummary, because reason: UserMessage) async throws(AuthFailure)

    /// Runs the sign-in that a resource requires (RFC 9470).
    func stepUp(_ session: SessionSummary, to required: StepUp) async throws(AuthFailure)
}

/// Sends requests to the resources of one provider: with a token only to the URL that the engine issued it for, otherwise without
/// credentials.
package protocol ResourceSender {
    /// Sends a request that carries a token, with the client's certificate if one is configured (RFC 8705 section 3).
    ///
    /// - Parameters:
    ///   - issued: the token, with the URL that it was issued for.
    ///   - login: the credentials for a web server in front of the resource.
    /// - Throws: `.security` if the request goes to another URL than the token was issued for.
    func send(_ request: WebRequest, with issued: IssuedToken, login: WebServerLogin?) async throws(AuthFailure) -> WebResponse

    /// Sends a request without a token.
    ///
    /// - Parameter login: the credentials for a web server in front of the resource.
    func sendAnonymously(_ request: WebRequest, login: WebServerLogin?) async throws(AuthFailure) -> WebResponse

    /// Returns the scopes in the metadata of a resource that asked for more scopes without naming them; empty if it has none.
    func scopes(of resource: WebURL, after challenge: Challenge) async -> [String]
}

/// Which sessions a request may use.
package enum SessionRequirement: Sendable {
    /// Any session, including a guest session.
    case anybody
    /// A session of a signed-in user only.
    case signedIn
}
