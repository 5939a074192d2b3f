internal import AuthModel
internal import OAuth
internal import ProviderKinds
internal import ResourceClient
internal import UserConfiguration

/// Sends requests to resources with one session's token, or without a token.
protocol ResourceConversation {
    /// Returns the final response, with any status. Follows redirects of reads within one host; another redirect is a final response.
    func response(to request: WebRequest) async throws(AuthFailure) -> ResourceResponse

    /// Returns the failure that a response means; `nil` for success.
    func failure(_ answer: WebResponse, from url: WebURL) -> AuthFailure?
}

extension ResourceConversation {
    /// Follows the redirects of a request, each of which is a request of its own.
    func following(
        _ request: WebRequest, _ send: (WebRequest) async throws(AuthFailure) -> ResourceResponse
    ) async throws(AuthFailure) -> ResourceResponse {
        var (request, redirects) = (request, Redirects(returnsOthers: true))
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
struct ResourceResponse: Sendable {
    /// The address that responded, after redirects within its host.
    let url: WebURL
    /// The response.
    let response: WebResponse
    /// Whether the request was sent without a token.
    let isAnonymous: Bool
    /// Whether another host responded, to which the resource redirected a download.
    var isElsewhere = false

    /// Whether the body is said to be a JSON document.
    var isJSON: Bool {
        let type = (response.header("Content-Type") ?? "").asciiLowercased().prefix { $0 != ";" && $0 != " " }
        return type == "application/json" || type.hasSuffix("+json")
    }
}

/// Sends requests to resources with one session's token, and recovers as ``ResourceClient/AuthorizedRequest`` decides.
final class SessionRequest: ResourceConversation {
    private let session: SessionSummary
    private let provider: ProviderConfiguration
    private let configuration: Configuration
    private let dialect: any ResourceDialect
    private let service: any SessionService
    private let restrictions: TokenRestrictions
    private let challenge: ChallengeResponse
    private let sender: ResourceTransport
    private let proofs: ProofSource
    private var user: CommandLineUser

    /// Creates a conversation.
    ///
    /// - Parameters:
    ///   - session: the session whose token is sent.
    ///   - configuration: all providers, among them the session's, so that an error can name the one that a URL belongs to.
    ///   - restrictions: the restrictions of the token.
    ///   - challenge: what to do when a resource requires another sign-in.
    init(
        session: SessionSummary, provider: ProviderConfiguration, in configuration: Configuration, service: any SessionService,
        restrictions: TokenRestrictions, challenge: ChallengeResponse, sender: ResourceTransport, user: CommandLineUser
    ) {
        self.session = session
        self.provider = provider
        self.configuration = configuration
        dialect = provider.resourceDialect
        self.service = service
        self.restrictions = restrictions
        self.challenge = challenge
        self.sender = sender
        self.user = user
        proofs = ProofSource(service)
    }

    func response(to request: WebRequest) async throws(AuthFailure) -> ResourceResponse {
        let exchange = AuthorizedRequest(
            request, challenge: challenge, restrictions: restrictions, redirects: Redirects(returnsOthers: true))
        let (response, url, credential) = try await response(to: exchange)
        return ResourceResponse(url: url, response: response, isAnonymous: credential == nil)
    }

    func failure(_ answer: WebResponse, from url: WebURL) -> AuthFailure? {
        var failure = dialect.failure(answer, from: url.origin.authority)
        if failure?.hint == nil, dialect.verdict(on: answer) == .refused {
            failure?.hint = UserMessage("hint.sign_in_again_anyway", ["provider": session.name])
        }
        return failure
    }
}

extension SessionRequest: RequestDriver {
    func credential(for url: WebURL, refused: Secret?) async throws(AuthFailure) -> SessionCredential? {
        try TokenDestinations(provider: provider).require(url, in: configuration, mayBeOfSession: true)
        let request = TokenRequest(
            session: session.name, restrictions: restrictions, caller: .verbatim("yett request"), resource: url, refused: refused)
        let issued = try await user.token(request, from: service)
        let dialect = try await provider.resourceDialect(in: sender.context.edges.environment)
        return SessionCredential(issued, dialect: dialect, proofs: proofs)
    }

    func send(_ request: WebRequest, with credential: SessionCredential?) async throws(AuthFailure) -> WebResponse {
        guard let credential else { return try await sender.sendAnonymously(request, login: nil) }
        return try await sender.send(request, with: credential.issued, login: nil)
    }

    func received(_ response: WebResponse) -> WebResponse { response }

    func verdict(on answer: WebResponse, to credential: SessionCredential?) -> TokenVerdict { dialect.verdict(on: answer) }

    func isUsableWithoutSignIn() async -> Bool { await service.isUsableWithoutSignIn(session.name.provider) }

    func requiredSignIn(
        in answer: WebResponse, from url: WebURL, after previous: StepUp?
    ) async throws(AuthFailure) -> StepUp? {
        try await StepUp.required(by: answer, from: url, of: session, after: previous) {
            await sender.context.scopes(of: url, after: $0, caFile: provider.caFile)
        }
    }

    func stepUp(to required: StepUp, refused token: Secret?) async throws(AuthFailure) -> Bool {
        try await user.stepUp(session, to: required)
        return true
    }

    func signIn(because cause: AuthorizedRequest.SignInCause, after answer: WebResponse?) async throws(AuthFailure) {
        switch cause {
        case .noToken(let failure, _): try await user.signInAgain(to: session, because: failure.message)
        case .refused(let reason): try await user.signInAgain(to: session, because: reason)
        }
    }
}

/// Sends requests without a token, because there is no session and no sign-in is wanted or needed.
struct AnonymousRequest: ResourceConversation {
    let dialect: any ResourceDialect
    let sender: ResourceTransport
    let user: CommandLineUser

    func response(to request: WebRequest) async throws(AuthFailure) -> ResourceResponse {
        try await following(request) { (request) throws(AuthFailure) in
            user.note(UserMessage("resource.sent_without_token"))
            return ResourceResponse(
                url: request.url, response: try await sender.sendAnonymously(request, login: nil), isAnonymous: true)
        }
    }

    func failure(_ answer: WebResponse, from url: WebURL) -> AuthFailure? {
        dialect.failure(answer, from: url.origin.authority)
    }
}

extension SessionService {
    /// Asks the provider whether its resources can be used without signing in. Returns `false` if the provider does not respond.
    func isUsableWithoutSignIn(_ provider: ProviderName) async -> Bool {
        guard let details = try? await details(of: provider) else { return false }
        return !details.isSignInRequired
    }
}
