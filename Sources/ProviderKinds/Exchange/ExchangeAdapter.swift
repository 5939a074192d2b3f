import AuthEngine
import AuthModel
import OAuth
import SessionStore

/// Kind `exchange`: sessions that are obtained without the user.
///
/// Most are made from a session at another provider: by token exchange (RFC 8693), with its JWT as the grant (RFC 7523 section 2.1), or
/// with a grant that its provider issues for this one (ID-JAG). The base session determines the user. The others are sessions of a machine:
/// of the client itself (RFC 6749 section 4.4), or of a workload or user whom its platform identifies by a JWT.
///
/// Such a session has no refresh token. It is renewed in the way it was made, and one with a base session ends with it. No grant is ever
/// replaced by a page: a refusal is the answer.
struct ExchangeAdapter: ProviderAdapter, RestrictedRenewal {
    let configuration: ProviderConfiguration
    let environment: EngineEnvironment
    /// The adapter that sends the requests to the authorization server, which is the same as for plain OAuth 2.
    let provider: OpenIDAdapter

    init(configuration: ProviderConfiguration, environment: EngineEnvironment) {
        self.configuration = configuration
        self.environment = environment
        var plain = configuration
        plain.kind = .oauth2
        // No browser is sent to it, so it may have no authorization endpoint.
        provider = OpenIDAdapter(configuration: plain, environment: environment, requirement: .nothing)
    }

    var address: String { configuration.issuer?.text ?? configuration.endpoints.token?.origin.description ?? configuration.name.text }

    func isOwn(_ record: SessionRecord) -> Bool { provider.isOwn(record) }

    var offersSignUp: Bool? { false }

    func steps(of request: SignInRequest) -> [SignInStep] { [.discover, .exchange, .seal] }

    func canRenew(_ tokens: TokenSet) -> Bool { true }

    var base: SessionName? { configuration.exchange?.assertion == nil ? configuration.exchange?.from : nil }

    func base(of record: SessionRecord) -> SessionName? { SessionExtras(record.extras).base ?? base }

    func signIn(
        _ request: SignInRequest, attempt: AttemptChannel, sessions: BaseSessions
    ) async throws(AuthFailure) -> SignInOutcome {
        guard let exchange = configuration.exchange else { throw missingBase }
        guard request.purpose == .signIn else { throw noSignUp }
        let metadata = try await attempt.step(.discover) { () async throws(AuthFailure) in try await provider.documents.metadata() }
        let prover = try provider.newProver(metadata)
        let scopes = request.scopes.isEmpty ? configuration.scopes : request.scopes
        let resources = request.resources.isEmpty ? configuration.resources : request.resources
        let parameters = ExchangeParameters(exchange: exchange, scopes: scopes, resources: named(resources), prover: prover)
        let (origin, answer) = try await attempt.step(.exchange) { () async throws(AuthFailure) -> (ExchangeOrigin, ReceivedTokens) in
            let origin = try await self.origin(exchange, from: base, sessions: sessions)
            do throws(RenewalFailure) {
                return (origin, try await exchanged(parameters, for: origin, metadata: metadata, sessions: sessions))
            } catch {
                throw error.failure
            }
        }
        var extras = SessionExtras()
        extras.base = origin.base?.name
        extras.baseIssuer = origin.issuer
        extras.dpopKey = prover?.key
        extras.isWithoutScopes = scopes.isEmpty
        extras.resources = resources
        extras.revocationEndpoint = metadata.revocationEndpoint
        extras.apiHost = try provider.apiHost(answer.response, metadata)
        var note: UserMessage? = origin.base.map { UserMessage("exchange.derived_from", ["provider": $0.name]) }
        if note == nil, exchange.grant != .identityGrant { note = "exchange.session_of_machine" }
        return .session(
            SignInResult(
                tokens: answer.tokens, identity: identity(origin, metadata), clientID: configuration.clientID, extras: extras.json,
                warnings: [note].compactMap(\.self)))
    }

    /// Returns those of the resources that requests name.
    private func named(_ resources: [String]) -> [String] { configuration.dialect.resourceParameter == .sent ? resources : [] }

    func renew(_ record: SessionRecord, sessions: BaseSessions) async throws(RenewalFailure) -> Renewal {
        try await renew(record, to: .session, sessions: sessions)
    }

    func renew(_ record: SessionRecord, to restrictions: TokenRestrictions, sessions: BaseSessions) async throws(RenewalFailure)
        -> Renewal
    {
        var extras = SessionExtras(record.extras)
        let metadata: ProviderMetadata
        let origin: ExchangeOrigin
        let parameters: ExchangeParameters
        do throws(AuthFailure) {
            guard let exchange = configuration.exchange else { throw missingBase }
            metadata = try await provider.documents.metadata()
            try provider.requireIssuerAndClient(of: record, metadata)
            // Use the same account as at the sign-in, even if another one has signed in there since.
            origin = try await self.origin(exchange, from: base == nil ? nil : extras.base ?? base, sessions: sessions)
            try requireSameSubject(origin, as: record, extras)
            let scopes: ScopeSet = extras.isWithoutScopes ? [] : record.summary.scopes
            parameters = ExchangeParameters(
                exchange: exchange, scopes: restrictions.scopes.isEmpty ? scopes : restrictions.scopes,
                resources: restrictions.audience.map { [$0] } ?? named(extras.resources), prover: provider.prover(of: record))
        } catch {
            // No token was sent, so the grant is intact and works again when the base session does.
            throw RenewalFailure(error, .kept)
        }
        do throws(RenewalFailure) {
            let answer = try await exchanged(parameters, for: origin, metadata: metadata, sessions: sessions)
            extras.baseIssuer = origin.issuer
            // The session keeps its API host if the response names none, or none that can be used.
            if let host = try? provider.apiHost(answer.response, metadata) { extras.apiHost = host }
            return Renewal(tokens: answer.tokens, idTokenClaims: nil, extras: extras.json)
        } catch {
            // A refusal of the requested scopes or audience does not affect the grant.
            let refusesRestrictions =
                restrictions != .session && [.denied(code: "invalid_scope"), .denied(code: "invalid_target")].contains(error.failure.kind)
            throw RenewalFailure(error.failure, refusesRestrictions ? .kept : error.outcome)
        }
    }

    /// Throws if the session would become that of another user or workload. Only issuer and subject together identify a user (OpenID
    /// Connect Core section 5.7).
    private func requireSameSubject(
        _ origin: ExchangeOrigin, as record: SessionRecord, _ extras: SessionExtras
    ) throws(AuthFailure) {
        let name = record.summary.name
        let isSame = origin.subject.utf8.elementsEqual(record.identity.subject.utf8)
        guard let base = origin.base else {
            // A session from before version 1.0 has no issuer of a workload; its next renewal records it.
            let isSameIssuer = extras.baseIssuer.map { $0.hasSameBytes(as: origin.issuer ?? "") } ?? true
            if isSame, isSameIssuer, extras.base == nil { return }
            throw AuthFailure(
                .security, UserMessage("exchange.different_subject", ["session": name]),
                hint: UserMessage("hint.sign_out_and_in_again", ["session": name]))
        }
        guard isSame, let baseIssuer = extras.baseIssuer, base.identity.issuer.utf8.elementsEqual(baseIssuer.utf8) else {
            throw AuthFailure(
                .security, UserMessage("exchange.different_users", ["provider": base.name, "session": name]),
                hint: UserMessage("hint.sign_out_and_in_again", ["session": name]))
        }
    }

    /// Returns the user of the base session, the workload or the client, as an identity at this provider.
    private func identity(_ origin: ExchangeOrigin, _ metadata: ProviderMetadata) -> Identity {
        Identity(
            issuer: provider.issuer(metadata), subject: origin.subject, userInfo: origin.base?.identity.userInfo ?? .object([]))
    }

    var missingBase: AuthFailure {
        AuthFailure(
            .configuration, UserMessage("exchange.no_base_session", ["provider": configuration.name]),
            hint: UserMessage("hint.exchange_set_from", ["provider": configuration.name]))
    }

    private var noSignUp: AuthFailure {
        let name = configuration.name
        guard let base else { return AuthFailure(.configuration, UserMessage("exchange.no_sign_up_of_machine", ["provider": name])) }
        return AuthFailure(.configuration, UserMessage("exchange.no_sign_up", ["provider": name, "base": base]))
    }

    // MARK: The same as at any authorization server

    func revocations(for record: SessionRecord) async -> [RevocationStep] { await provider.revocations(for: record) }

    func revoke(_ revocation: QueuedRevocation) async throws(AuthFailure) { try await provider.revoke(revocation) }

    func checkClient() async throws(AuthFailure) { try await provider.checkClient() }

    var hasBrowserSession: Bool { false }

    var restrictedRenewal: (any RestrictedRenewal)? { self }

    var sessionIntrospection: (any SessionIntrospection)? { provider }

    func introspect(_ token: Secret) async throws(AuthFailure) -> TokenView? { try await provider.introspect(token) }

    func verify(_ token: Secret, kind: TokenView.Kind) async throws(AuthFailure) -> TokenView? {
        try await provider.verify(token, kind: kind)
    }
}
