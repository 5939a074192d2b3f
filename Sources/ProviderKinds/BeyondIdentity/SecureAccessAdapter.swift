internal import AuthEngine
internal import AuthModel
internal import OAuth
internal import SessionStore

/// Kind `beyond-identity`, newer generation: OpenID Connect at the issuer of an application. Its authorization endpoint may answer with the
/// URL of the authenticator instead of a redirect, and its management API lists tokens.
struct SecureAccessAdapter: ProviderAdapter {
    let configuration: ProviderConfiguration
    let settings: SecureAccessConfiguration
    let environment: EngineEnvironment
    private let provider: OpenIDAdapter

    init(configuration: ProviderConfiguration, settings: SecureAccessConfiguration, environment: EngineEnvironment) {
        self.configuration = configuration
        self.settings = settings
        self.environment = environment
        var plain = configuration
        plain.kind = .oidc
        plain.own = nil
        var provider = OpenIDAdapter(configuration: plain, environment: environment)
        if settings.invocation == .manual {
            let invocation = ManualInvocation(
                hosts: settings.invokeHosts, transport: environment.transport, caFile: configuration.caFile)
            provider.resolveAuthorizationURL = { (url) async throws(AuthFailure) in try await invocation.authenticator(for: url) }
        }
        self.provider = provider
    }

    var address: String { provider.address }

    func isOwn(_ record: SessionRecord) -> Bool { provider.isOwn(record) }

    var offersSignUp: Bool? { configuration.signUpURL != nil }

    func signIn(_ request: SignInRequest, attempt: AttemptReporter, sessions: any BaseSessions) async throws(AuthFailure) -> SignInOutcome {
        try await provider.signIn(request, attempt: attempt, sessions: sessions)
    }

    var remoteTokenList: (any RemoteTokenList)? {
        settings.tokens.map { SecureAccessTokens(list: $0, configuration: configuration, environment: environment, provider: provider) }
    }

    // MARK: The same as at any OpenID provider

    func renew(_ record: SessionRecord, sessions: any BaseSessions) async throws(RenewalFailure) -> Renewal {
        try await provider.renew(record, sessions: sessions)
    }

    var restrictedRenewal: (any RestrictedRenewal)? { provider }

    func revocations(for record: SessionRecord) async -> [RevocationStep] { await provider.revocations(for: record) }

    func revoke(_ revocation: QueuedRevocation) async throws(AuthFailure) { try await provider.revoke(revocation) }

    func endSessionURL(for record: SessionRecord) async throws(AuthFailure) -> WebURL? { try await provider.endSessionURL(for: record) }

    func endSessionURL(for record: SessionRecord, returnTo: String, state: Secret) async throws(AuthFailure) -> WebURL? {
        try await provider.endSessionURL(for: record, returnTo: returnTo, state: state)
    }

    var sessionIntrospection: (any SessionIntrospection)? { provider }

    var tokenIntrospection: (any TokenIntrospection)? { provider }

    func verify(_ token: Secret, kind: TokenView.Kind) async throws(AuthFailure) -> TokenView? {
        try await provider.verify(token, kind: kind)
    }
}
