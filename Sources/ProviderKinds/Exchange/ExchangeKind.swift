import AuthEngine
import AuthModel
import OAuth
import UserConfiguration

/// The definition of `kind = "exchange"`.
struct ExchangeKind: KindDefinition {
    let keys = [
        KindKey("from", "The provider or session whose token to exchange."),
        KindKey("grant", "\"token-exchange\" (RFC 8693) or \"jwt-bearer\" (RFC 7523). Default: \"token-exchange\"."),
        KindKey("subject_token", "Which token of that session to send: \"access_token\" or \"id_token\". Default: \"access_token\"."),
        KindKey("audience", "The audience of the new token, as the provider names it: one or a list."),
    ]

    func read(_ table: any SettingsTable) throws(AuthFailure) -> KindReading {
        KindReading(address: .endpoints(["token_endpoint"]))
    }

    func base(_ table: any SettingsTable) throws(AuthFailure) -> ProviderConfiguration.Exchange? {
        guard let from = try table.session("from") else {
            throw table.missing("from", hint: "hint.exchange_add_from")
        }
        let presented: TokenRequest.Wanted
        switch try table.text("subject_token") {
        case nil, "access_token": presented = .access
        case "id_token": presented = .id
        case let other?: throw table.unknownWord("subject_token", other, known: ["access_token", "id_token"])
        }
        return ProviderConfiguration.Exchange(
            from: from, grant: try table.word("grant", as: ProviderConfiguration.Exchange.Grant.self) ?? .tokenExchange,
            presented: presented, audiences: try table.textOrTexts("audience") ?? [])
    }

    func makeAdapter(for configuration: ProviderConfiguration, environment: EngineEnvironment) -> any ProviderAdapter {
        ExchangeAdapter(configuration: configuration, environment: environment)
    }
}

/// Kind `exchange`: sessions that are made from a session at another provider, by token exchange (RFC 8693) or with its JWT as the grant
/// (RFC 7523 section 2.1). The user is not asked anything; the base session determines the user.
///
/// Such a session has no refresh token. It is renewed from its base session, and ends with it.
struct ExchangeAdapter: ProviderAdapter, RestrictedRenewal, ClientChecking {
    let configuration: ProviderConfiguration
    private let environment: EngineEnvironment
    /// The adapter that sends the requests to the authorization server, which is the same as for plain OAuth 2.
    private let provider: OpenIDAdapter

    init(configuration: ProviderConfiguration, environment: EngineEnvironment) {
        self.configuration = configuration
        self.environment = environment
        var plain = configuration
        plain.kind = .oauth2
        provider = OpenIDAdapter(configuration: plain, environment: environment)
    }

    var address: String { configuration.issuer?.text ?? configuration.endpoints.token?.origin.description ?? configuration.name.text }

    func isOwn(_ record: SessionRecord) -> Bool { provider.isOwn(record) }

    var offersSignUp: Bool? { false }

    func steps(of request: SignInRequest) -> [SignInStep] { [.discover, .exchange, .seal] }

    func canRenew(_ tokens: TokenSet) -> Bool { true }

    var base: SessionName? { configuration.exchange?.from }

    func base(of record: SessionRecord) -> SessionName? { SessionExtras(record.extras).base ?? base }

    func signIn(
        _ request: SignInRequest, attempt: AttemptReporter, sessions: any BaseSessions
    ) async throws(AuthFailure) -> SignInOutcome {
        guard let exchange = configuration.exchange else { throw missingBase }
        guard request.purpose == .signIn else {
            throw AuthFailure(
                .configuration, UserMessage("exchange.no_sign_up", ["provider": configuration.name, "base": exchange.from]))
        }
        let metadata = try await attempt.step(.discover) { () async throws(AuthFailure) in try await provider.documents.metadata() }
        let prover = try provider.newProver(metadata)
        let scopes = request.scopes.isEmpty ? configuration.scopes : request.scopes
        let resources = request.resources.isEmpty ? configuration.resources : request.resources
        let parameters = ExchangeParameters(exchange: exchange, scopes: scopes, resources: resources, prover: prover)
        let (base, tokens) = try await attempt.step(.exchange) { () async throws(AuthFailure) -> (BaseSession, TokenSet) in
            let base = try await sessions.base(exchange.from, for: configuration.name, wanted: exchange.presented)
            do throws(RenewalFailure) {
                return (base, try await exchanged(parameters, for: base, metadata: metadata))
            } catch {
                throw error.failure
            }
        }
        var extras = SessionExtras()
        extras.base = base.name
        extras.baseIssuer = base.identity.issuer
        extras.proofKey = prover?.key
        extras.resources = resources
        extras.revocationEndpoint = metadata.revocationEndpoint
        return .session(
            SignInResult(
                tokens: tokens, identity: identity(base, metadata), clientID: configuration.clientID, extras: extras.json,
                warnings: [UserMessage("exchange.derived_from", ["provider": base.name])]))
    }

    func renew(_ record: SessionRecord, sessions: any BaseSessions) async throws(RenewalFailure) -> Renewal {
        try await renew(record, to: .session, sessions: sessions)
    }

    func renew(_ record: SessionRecord, to restrictions: TokenRestrictions, sessions: any BaseSessions) async throws(RenewalFailure)
        -> Renewal
    {
        let extras = SessionExtras(record.extras)
        let metadata: ProviderMetadata
        let base: BaseSession
        let parameters: ExchangeParameters
        do throws(AuthFailure) {
            guard let exchange = configuration.exchange else { throw missingBase }
            metadata = try await provider.documents.metadata()
            try provider.requireIssuerAndClient(of: record, metadata)
            // Use the same account as at the sign-in, even if another one has signed in there since.
            base = try await sessions.base(extras.base ?? exchange.from, for: configuration.name, wanted: exchange.presented)
            guard isSameUser(base.identity, as: record.identity, of: extras.baseIssuer) else {
                throw AuthFailure(
                    .security, UserMessage("exchange.different_users", ["provider": base.name, "session": record.summary.name]),
                    hint: UserMessage("hint.sign_out_and_in_again", ["session": record.summary.name]))
            }
            parameters = ExchangeParameters(
                exchange: exchange, scopes: restrictions.scopes.isEmpty ? record.summary.scopes : restrictions.scopes,
                resources: restrictions.audience.map { [$0] } ?? extras.resources, prover: provider.prover(of: record))
        } catch {
            // No token was sent, so the grant is intact and works again when the base session does.
            throw RenewalFailure(error, .kept)
        }
        do throws(RenewalFailure) {
            let tokens = try await exchanged(parameters, for: base, metadata: metadata)
            return Renewal(tokens: tokens, idTokenClaims: nil, extras: record.extras)
        } catch {
            // A refusal of the requested scopes or audience does not affect the grant.
            let refusesRestrictions =
                restrictions != .session && [.denied(code: "invalid_scope"), .denied(code: "invalid_target")].contains(error.failure.kind)
            throw RenewalFailure(error.failure, refusesRestrictions ? .kept : error.outcome)
        }
    }

    /// Only issuer and subject together identify a user (OpenID Connect Core section 5.7).
    private func isSameUser(_ base: Identity, as user: Identity, of baseIssuer: String?) -> Bool {
        guard let baseIssuer else { return false }
        return base.subject.utf8.elementsEqual(user.subject.utf8) && base.issuer.utf8.elementsEqual(baseIssuer.utf8)
    }

    // MARK: The same as at any authorization server

    func revocations(for record: SessionRecord) async -> [RevocationStep] { await provider.revocations(for: record) }

    func revoke(_ revocation: QueuedRevocation) async throws(AuthFailure) { try await provider.revoke(revocation) }

    func checkClient() async throws(AuthFailure) { try await provider.checkClient() }

    var hasBrowserSession: Bool { false }

    var restrictedRenewal: (any RestrictedRenewal)? { self }

    var sessionIntrospection: (any SessionIntrospection)? { provider }

    var tokenIntrospection: (any TokenIntrospection)? { provider }

    func verify(_ token: Secret, kind: TokenView.Kind) async throws(AuthFailure) -> TokenView? {
        try await provider.verify(token, kind: kind)
    }

    // MARK: The exchange

    /// The parameters of one exchange.
    private struct ExchangeParameters {
        var exchange: ProviderConfiguration.Exchange
        var scopes: ScopeSet
        var resources: [String]
        var prover: ProofSigner?
    }

    /// Exchanges the base session's token for new tokens.
    ///
    /// - Throws: the failure, and whether the server has ended the grant.
    private func exchanged(_ parameters: ExchangeParameters, for base: BaseSession, metadata: ProviderMetadata) async throws(RenewalFailure)
        -> TokenSet
    {
        let host = metadata.tokenEndpoint?.origin.authority
        let now = environment.time.now
        let isBound = parameters.prover != nil
        switch parameters.exchange.grant {
        case .tokenExchange:
            let asked = TokenExchange(
                subject: .init(base.token, parameters.exchange.presented == .id ? .idToken : .accessToken), resources: parameters.resources,
                audiences: parameters.exchange.audiences, scopes: parameters.scopes)
            return try await send(parameters, metadata) { (client) throws(OAuthError) in
                try asked.request(at: metadata, client: client)
            } read: { (response) throws(OAuthError) in
                try asked.tokens(response, host: host, requiresProof: isBound, now: now)
            }
        case .assertion:
            let asked = AssertionGrant(assertion: base.token, scopes: parameters.scopes, resources: parameters.resources)
            return try await send(parameters, metadata) { (client) throws(OAuthError) in
                try asked.request(at: metadata, client: client)
            } read: { (response) throws(OAuthError) in
                try asked.tokens(response, host: host, requiresProof: isBound, now: now)
            }
        }
    }

    private func send(
        _ parameters: ExchangeParameters, _ metadata: ProviderMetadata, _ build: (OAuthClient) throws(OAuthError) -> WebRequest,
        read: (WebResponse) throws(OAuthError) -> TokenSet
    ) async throws(RenewalFailure) -> TokenSet {
        var isSecondTry = false
        while true {
            let response: WebResponse
            do { response = try await provider.ask(metadata, proving: parameters.prover, build).response } catch {
                throw RenewalFailure(error, .kept)
            }
            do {
                var tokens = try read(response)
                // The session is renewed from its base session. A refresh token would outlive that session.
                tokens.refreshToken = nil
                tokens.refreshExpiresAt = nil
                tokens.idToken = nil
                return tokens
            } catch {
                if error.grantOutcome == .endedIfRepeated, !isSecondTry {
                    isSecondTry = true
                    try await RenewalRetry(time: environment.time).pauseBeforeSecondTry()
                    continue
                }
                throw RenewalFailure(provider.failure(error, proving: parameters.prover), error.grantOutcome == .kept ? .kept : .ended)
            }
        }
    }

    /// Returns the base session's user, as an identity at this provider.
    private func identity(_ base: BaseSession, _ metadata: ProviderMetadata) -> Identity {
        Identity(issuer: provider.issuer(metadata), subject: base.identity.subject, userInfo: base.identity.userInfo)
    }

    private var missingBase: AuthFailure {
        AuthFailure(
            .configuration, UserMessage("exchange.no_base_session", ["provider": configuration.name]),
            hint: UserMessage("hint.exchange_set_from", ["provider": configuration.name]))
    }
}
