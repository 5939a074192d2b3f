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

    func signIn(_ request: SignInRequest, attempt: AttemptReporter, sessions: any BaseSessions) async throws(AuthFailure) -> SignInResult {
        try await provider.signIn(request, attempt: attempt, sessions: sessions)
    }

    // MARK: The tokens of a user

    /// The maximum number of pages that are fetched of the list.
    private static let pageLimit = 20

    func remoteTokens(of record: SessionRecord) async throws(AuthFailure) -> [RemoteToken]? {
        guard let list = settings.tokens else { return nil }
        var tokens: [RemoteToken] = []
        var page: String?
        for _ in 0..<Self.pageLimit {
            var query = [("principal_type", "identity"), ("principal_id", record.identity.subject)]
            if let page { query.append(("page_token", page)) }
            guard let url = list.appending(query: query) else { throw AuthFailure(.configuration, "tokens_url is too long") }
            let answer = try await manage(.get, url, of: record, to: "list the tokens")
            guard let members = answer["tokens"]?.array else {
                throw AuthFailure(
                    .unavailable(retryAfter: nil), "the response from \(list.origin.authority) contains no list of tokens",
                    hint: "check tokens_url")
            }
            tokens += members.compactMap(RemoteToken.init(secureAccess:))
            page = answer["next_page_token"]?.string.flatMap { $0.isEmpty ? nil : $0 }
            if page == nil { return tokens }
        }
        return tokens
    }

    func revokeRemoteToken(_ id: String, of record: SessionRecord) async throws(AuthFailure) -> SessionTokenState {
        guard let list = settings.tokens else {
            throw AuthFailure(
                .configuration, "\(configuration.name) has no URL for the list of tokens",
                hint: "set tokens_url in [providers.\(configuration.name)]")
        }
        guard !id.isEmpty, id.utf8.allSatisfy({ $0.isIdentifierByte }), let url = WebURL(list.text + "/" + id) else {
            throw AuthFailure(
                .usage, "no token has this name", hint: "to list the names, run: yett sessions \(record.summary.name.shellWord) --remote")
        }
        _ = try await manage(.delete, url, of: record, to: "revoke the token")
        guard let tokens = record.tokens, try await isAlive(tokens.accessToken, .access) else { return .ended }
        guard let refreshToken = tokens.refreshToken else { return .alive }
        return try await isAlive(refreshToken, .refresh) ? .alive : .notRenewable
    }

    /// Whether the provider still accepts a token of the session (RFC 7662); `true` if it has no introspection endpoint.
    private func isAlive(_ token: Secret, _ kind: TokenRevocation.TokenKind) async throws(AuthFailure) -> Bool {
        let metadata = try await provider.documents.metadata()
        guard metadata.introspectionEndpoint != nil else { return true }
        let client = try await provider.client(metadata)
        do {
            let request = try Introspection.request(token, kind, at: metadata, client: client)
            let response = try await provider.send(request)
            return try Introspection.answer(response, host: configuration.issuer?.url.origin.authority, now: environment.time.now).isActive
        } catch let error as OAuthError {
            throw error.failure
        } catch let error as AuthFailure {
            throw error
        } catch {
            throw AuthFailure(.bug, "unexpected error in an introspection")
        }
    }

    /// Sends a request to the management API with the session's access token.
    private func manage(
        _ method: WebRequest.Method, _ url: WebURL, of record: SessionRecord, to purpose: String
    ) async throws(AuthFailure) -> JSONValue {
        guard let token = record.tokens?.accessToken else {
            throw AuthFailure(
                .signInAgain, "the session \(record.summary.name) has ended", hint: "sign in again with: yett login \(configuration.name)")
        }
        var policy = TransportPolicy.standard
        policy.caFile = configuration.caFile
        let response = try await environment.transport.send(
            WebRequest(
                method: method, url: url,
                headers: [("Accept", "application/json"), ("Authorization", "Bearer \(token.reveal())")]), policy: policy)
        return try SecureAccessAnswer.read(response, from: url.origin.authority, to: purpose)
    }

    // MARK: The same as at any OpenID provider

    func renew(_ record: SessionRecord, sessions: any BaseSessions) async throws(RenewalFailure) -> Renewal {
        try await provider.renew(record, sessions: sessions)
    }

    func renew(_ record: SessionRecord, to terms: TokenRestrictions, sessions: any BaseSessions) async throws(RenewalFailure) -> Renewal {
        try await provider.renew(record, to: terms, sessions: sessions)
    }

    func revocations(for record: SessionRecord) async -> [RevocationStep] { await provider.revocations(for: record) }

    func revoke(_ revocation: QueuedRevocation) async throws(AuthFailure) { try await provider.revoke(revocation) }

    func endSessionURL(for record: SessionRecord) async throws(AuthFailure) -> WebURL? { try await provider.endSessionURL(for: record) }

    func endSessionURL(for record: SessionRecord, returnTo: String, state: Secret) async throws(AuthFailure) -> WebURL? {
        try await provider.endSessionURL(for: record, returnTo: returnTo, state: state)
    }

    func introspect(_ token: Secret, kind: TokenView.Kind, of record: SessionRecord) async throws(AuthFailure) -> TokenView? {
        try await provider.introspect(token, kind: kind, of: record)
    }

    func introspect(_ token: Secret) async throws(AuthFailure) -> TokenView { try await provider.introspect(token) }

    func verify(_ token: Secret, kind: TokenView.Kind) async throws(AuthFailure) -> TokenView? {
        try await provider.verify(token, kind: kind)
    }
}

extension UInt8 {
    /// Whether the byte may be part of a token's ID without changing the path of the URL.
    fileprivate var isIdentifierByte: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
