import AuthEngine
import AuthModel
import OAuth

/// The parameters of one exchange.
struct ExchangeParameters {
    var exchange: ProviderConfiguration.Exchange
    var scopes: ScopeSet
    var resources: [String]
    var prover: ProofSigner?
}

/// The source that a session is made of.
enum ExchangeOrigin {
    /// A session at another provider, with the token to exchange.
    case session(BaseSession)
    /// The assertion of a workload, or the ID token of a user, with its issuer and its subject.
    case workload(Secret, issuer: String, subject: String)
    /// The client itself.
    case client(String)

    /// The base session; `nil` for a session of a machine.
    var base: BaseSession? { if case .session(let base) = self { base } else { nil } }

    /// The identifier of the user, the workload or the client.
    var subject: String {
        switch self {
        case .session(let base): base.identity.subject
        case .workload(_, _, let subject): subject
        case .client(let id): id
        }
    }

    /// The issuer that makes the identifier unique; `nil` for the client, which is one of the provider itself.
    var issuer: String? {
        switch self {
        case .session(let base): base.identity.issuer
        case .workload(_, let issuer, _): issuer
        case .client: nil
        }
    }
}

/// A grant that is exchanged for tokens at the token endpoint.
private protocol ExchangedGrant {
    func request(at metadata: ProviderMetadata, client: OAuthClient) throws(OAuthError) -> WebRequest
    func tokens(
        _ response: WebResponse, host: String?, requiresProof: Bool, dialect: ProviderDialect, now: Timestamp
    ) throws(OAuthError) -> TokenSet
}

extension TokenExchange: ExchangedGrant {}
extension AssertionGrant: ExchangedGrant {}
extension ClientCredentialsGrant: ExchangedGrant {}

/// The requests to the token endpoint.
extension ExchangeAdapter {
    /// Returns what the session is made of now.
    ///
    /// - Parameter name: the base session; `nil` for a session of a machine.
    func origin(
        _ exchange: ProviderConfiguration.Exchange, from name: SessionName?, sessions: BaseSessions
    ) async throws(AuthFailure) -> ExchangeOrigin {
        if let name { return .session(try await sessions.base(name, for: configuration.name, wanted: exchange.presented)) }
        guard let source = exchange.assertion else { return .client(configuration.clientID) }
        let assertion = try await ClientSecretSource.read(source, as: .assertion, environment: environment.commandEnvironment)
        let claims = (try? JSONWebSignature(compact: assertion.reveal()))?.unverifiedClaims
        guard let subject = claims?["sub"]?.string, !subject.isEmpty, let issuer = claims?["iss"]?.string, !issuer.isEmpty else {
            throw AuthFailure(
                .configuration, UserMessage("exchange.assertion_without_subject", ["provider": configuration.name]),
                hint: "hint.check_assertion_source")
        }
        return .workload(assertion, issuer: issuer, subject: subject)
    }

    /// Exchanges what the session is made of for new tokens.
    ///
    /// - Throws: the failure, and whether the server has ended the grant.
    func exchanged(
        _ parameters: ExchangeParameters, for origin: ExchangeOrigin, metadata: ProviderMetadata, sessions: BaseSessions
    ) async throws(RenewalFailure) -> ReceivedTokens {
        switch origin {
        case .session(let base) where parameters.exchange.grant == .identityGrant:
            return try await redeemed(parameters, for: base.token, of: base.name.provider, metadata: metadata, sessions: sessions)
        case .session(let base) where parameters.exchange.grant == .tokenExchange:
            let wanted = TokenExchange(
                subject: .init(base.token, parameters.exchange.presented == .id ? .idToken : .accessToken), resources: parameters.resources,
                audiences: parameters.exchange.audiences, scopes: parameters.scopes)
            return try await send(wanted, parameters, metadata)
        case .session(let base): return try await asserted(base.token, parameters, metadata)
        case .workload(let idToken, _, _) where parameters.exchange.grant == .identityGrant:
            guard let company = parameters.exchange.from?.provider else { throw RenewalFailure(missingBase, .kept) }
            return try await redeemed(parameters, for: idToken, of: company, metadata: metadata, sessions: sessions)
        case .workload(let assertion, _, _):
            do throws(RenewalFailure) {
                return try await asserted(assertion, parameters, metadata)
            } catch {
                let audience = metadata.issuer?.text ?? metadata.tokenEndpoint?.text ?? address
                throw error.keepingGrant(with: UserMessage("hint.workload_not_accepted", ["audience": audience]))
            }
        case .client:
            let wanted = ClientCredentialsGrant(
                scopes: parameters.scopes, resources: parameters.resources, audiences: parameters.exchange.audiences,
                grantType: parameters.exchange.grantName)
            do throws(RenewalFailure) {
                return try await send(wanted, parameters, metadata)
            } catch {
                throw error.keepingGrant()
            }
        }
    }

    /// Gets a grant for an ID token from its provider and redeems it. A refusal by either may be a rule that changes, so the session stays
    /// and asks again when it is used.
    private func redeemed(
        _ parameters: ExchangeParameters, for idToken: Secret, of company: ProviderName, metadata: ProviderMetadata,
        sessions: BaseSessions
    ) async throws(RenewalFailure) -> ReceivedTokens {
        let grant: Secret
        do throws(AuthFailure) {
            guard let issuer = metadata.issuer else { throw AuthFailure(.bug, "metadata.no_url") }
            grant = try await sessions.identityGrant(
                for: idToken, of: company, audience: issuer, resources: parameters.resources, scopes: parameters.scopes)
        } catch {
            throw RenewalFailure(error, .kept)
        }
        do throws(RenewalFailure) {
            return try await asserted(grant, parameters, metadata)
        } catch {
            let host = metadata.tokenEndpoint?.origin.authority ?? address
            throw error.keepingGrant(
                with: UserMessage(
                    "hint.identity_grant_not_accepted",
                    ["host": host, "provider": company, "client": configuration.clientID]))
        }
    }

    private func asserted(
        _ assertion: Secret, _ parameters: ExchangeParameters, _ metadata: ProviderMetadata
    ) async throws(RenewalFailure) -> ReceivedTokens {
        let wanted = AssertionGrant(assertion: assertion, scopes: parameters.scopes, resources: parameters.resources)
        return try await send(wanted, parameters, metadata)
    }

    private func send(
        _ wanted: some ExchangedGrant, _ parameters: ExchangeParameters, _ metadata: ProviderMetadata
    ) async throws(RenewalFailure) -> ReceivedTokens {
        var isSecondTry = false
        while true {
            let response: WebResponse
            do throws(AuthFailure) {
                response = try await provider.ask(metadata, proving: parameters.prover) { (client) throws(OAuthError) in
                    try wanted.request(at: metadata, client: client)
                }.response
            } catch {
                throw RenewalFailure(error, .kept)
            }
            do throws(OAuthError) {
                var tokens = try wanted.tokens(
                    response, host: metadata.tokenEndpoint?.origin.authority, requiresProof: parameters.prover != nil,
                    dialect: configuration.dialect, now: environment.time.now)
                // The session is renewed from what it was made of. A refresh token would outlive that.
                tokens.refreshToken = nil
                tokens.refreshExpiresAt = nil
                tokens.idToken = nil
                return ReceivedTokens(tokens: tokens, response: response)
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
}

extension RenewalFailure {
    /// Returns the same failure for a grant that can be made again: the session stays, and asks again when it is used.
    ///
    /// - Parameter hint: what to do if the server refused the grant itself; `nil` for what the failure says.
    fileprivate func keepingGrant(with hint: UserMessage? = nil) -> RenewalFailure {
        guard let hint, case .denied(let code) = failure.kind, code != "invalid_client", code != "invalid_scope" else {
            return RenewalFailure(failure, .kept)
        }
        return RenewalFailure(AuthFailure(failure.kind, failure.message, hint: hint), .kept)
    }
}
