internal import AuthEngine
internal import AuthModel
internal import OAuth

extension OpenIDAdapter {
    func renew(_ record: SessionRecord, sessions: BaseSessions) async throws(RenewalFailure) -> Renewal {
        try await renew(record, to: .session, sessions: sessions)
    }

    /// An access token that renews itself has all scopes again.
    var restrictedRenewal: (any RestrictedRenewal)? { configuration.dialect.renewalGrant == nil ? self : nil }

    func renew(_ record: SessionRecord, to restrictions: TokenRestrictions, sessions: BaseSessions) async throws(RenewalFailure)
        -> Renewal
    {
        guard let old = record.tokens, let refreshToken = old.refreshToken else {
            throw RenewalFailure(.noRefreshToken(of: record), .ended)
        }
        // Get everything that the ID token is checked with before the refresh token is spent.
        let metadata: ProviderMetadata
        let hasIDToken = record.identity.idTokenClaims["sub"] != nil
        do throws(AuthFailure) {
            metadata = try await documents.metadata()
            try requireIssuerAndClient(of: record, metadata)
            if hasIDToken, metadata.issuer != nil { _ = try await documents.keys(metadata) }
        } catch {
            throw RenewalFailure(error, .kept)
        }
        let answer = try await renewed(refreshToken, of: record, to: restrictions, old: old, metadata: metadata)
        var tokens = answer.tokens
        var extras = SessionExtras(record.extras)
        // The session keeps its API host if the response names none, or none that can be used.
        if let host = try? apiHost(answer.response, metadata) { extras.apiHost = host }
        guard let idToken = tokens.idToken, let issuers = metadata.issuerRule, hasIDToken else {
            // Keep the old ID token, which still identifies the user. A new one that cannot be checked is dropped.
            tokens.idToken = old.idToken
            // An answer for fewer scopes does not show whether a full renewal brings an ID token.
            if restrictions == .session { extras.isRenewedWithoutIDToken = true }
            return Renewal(tokens: tokens, idTokenClaims: nil, extras: extras.json)
        }
        // The token of the sign-in once more: it was validated then, and says nothing new.
        if idToken == old.idToken { return Renewal(tokens: tokens, idTokenClaims: nil, extras: extras.json) }
        var validator = IDTokenValidator(
            issuers, clientID: record.clientID, announcedAlgorithms: metadata.idTokenAlgorithms)
        validator.trustedAudiences = configuration.dialect.trustedAudiences
        do throws(IDTokenError) {
            let verified = try await validatedOrRejected(metadata) { (keys) throws(OAuthError) in
                try validator.validateRenewed(
                    idToken, accessToken: tokens.accessToken, old: record.identity.idTokenClaims, keys: keys, now: environment.time.now)
            }
            extras.note(verified)
            extras.revocationEndpoint = metadata.revocationEndpoint ?? extras.revocationEndpoint
            return Renewal(tokens: tokens, idTokenClaims: verified.claims, extras: extras.json)
        } catch {
            // Some providers count a renewal as a new authentication. Such an ID token is refused (OpenID Connect Core section 12.2), but
            // it is signed, and of this user and client, so the tokens beside it are the session's.
            guard case .wrong(let reason) = error, reason.kind == .token(.changedAuthenticationTime) else {
                throw renewalFailure(error, tokens)
            }
            tokens.idToken = old.idToken
            if restrictions == .session { extras.isRenewedWithoutIDToken = true }
            return Renewal(tokens: tokens, idTokenClaims: nil, extras: extras.json)
        }
    }

    /// Returns the effect of a rejected ID token on the session. OpenID Connect Core section 12.2 requires that the token is refused. The
    /// grant is given up only if the token is wrong, not if it could not be checked.
    private func renewalFailure(_ rejection: IDTokenError, _ tokens: TokenSet) -> RenewalFailure {
        let rotated = RenewalFailure.ResponseOutcome.rotated(refreshToken: tokens.refreshToken, expiresAt: tokens.refreshExpiresAt)
        switch rejection {
        case .keysUnavailable(let failure): return RenewalFailure(failure, rotated)
        case .keysTooRecent(let error):
            return RenewalFailure(
                AuthFailure(.unavailable(retryAfter: nil), error.failure.message, hint: "hint.try_again_in_one_minute"), rotated)
        case .clockMismatch(let error):
            // A clock can be corrected without a new sign-in, so the failure is temporary.
            let failure = error.failure
            return RenewalFailure(AuthFailure(.unavailable(retryAfter: nil), failure.message, hint: failure.hint), rotated)
        case .wrong(let error): return RenewalFailure(error.failure, .untrustedAnswer)
        }
    }

    /// Returns the failure of a client that Yett registered and that the server no longer knows: another client gets no tokens of this
    /// grant. Only the server's own error counts, also in words of its own: a proxy asks for authentication too.
    private func forgottenClient(_ error: OAuthError, _ response: WebResponse) -> RenewalFailure? {
        guard configuration.registeredScopes != nil, error.isAboutClient, let document = response.document,
            document["error"]?.string != nil || response.header("WWW-Authenticate") == nil
        else { return nil }
        let hint = UserMessage("hint.register_again", ["provider": configuration.name])
        return RenewalFailure(AuthFailure(.signInAgain, error.failure.message, hint: hint), .ended)
    }

    private func outcome(after error: OAuthError, _ response: WebResponse) -> RenewalFailure.ResponseOutcome {
        guard error.grantOutcome == .kept else { return .ended }
        // The rest of the answer is unusable, but the provider counts the old refresh token as spent.
        if let refreshToken = TokenResponse.refreshTokenOnly(response, dialect: configuration.dialect) {
            return .rotated(refreshToken: refreshToken, expiresAt: nil)
        }
        // An error that the server names says that it has not used the refresh token.
        switch error.kind {
        case .refused, .serverFailure: return .kept
        default: break
        }
        // A web page comes from a proxy. Unreadable JSON comes from the provider, which may have rotated the token.
        let isDocument = isSpent && response.header("Content-Type")?.asciiLowercased().contains("json") == true
        return response.status == 200 && isDocument ? .inDoubt : .kept
    }

    /// Whether a renewal may spend the token that it sends. An access token stays valid.
    private var isSpent: Bool { configuration.dialect.renewalGrant == nil }

    /// Returns the failure of a renewal with an access token that is too new for it, as far as the service and the clock say: it is refused
    /// in its first day at Instagram, for example.
    private func refusedTooEarly(_ error: OAuthError, _ response: WebResponse, _ old: TokenSet) -> RenewalFailure? {
        guard !isSpent, error.grantOutcome != .kept, environment.time.now - old.receivedAt < .seconds(2 * 86_400),
            configuration.resourceDialect.verdict(on: response) == .accepted
        else { return nil }
        return RenewalFailure(
            AuthFailure(.unavailable(retryAfter: nil), error.failure.message, hint: "hint.access_token_too_new"), .kept)
    }

    /// Returns the scopes of a session for a renewal that names them: the granted ones, and those for the tokens themselves, which services
    /// leave out of their answers. Others may have been added to the configuration since the sign-in.
    private func sessionScopes(_ tokens: TokenSet) -> ScopeSet {
        let granted = tokens.scopes.values
        // Entra grants it with the scopes that it stands for, and refuses them together.
        let whole = granted.filter { $0.hasSuffix("/.default") }
        let named = whole.isEmpty ? granted : whole + granted.filter { ["profile", "email"].contains($0) }
        let own = ["openid", "offline_access"].filter { granted.contains($0) || configuration.scopes.contains($0) }
        return ScopeSet(named + own)
    }

    /// Renews the tokens, and reads the response.
    func renewed(
        _ refreshToken: Secret, of record: SessionRecord, to restrictions: TokenRestrictions, old: TokenSet, metadata: ProviderMetadata
    ) async throws(RenewalFailure) -> ReceivedTokens {
        // The key and the resources of the sign-in (RFC 9449 section 5, RFC 8707 section 2.2).
        let prover = prover(of: record)
        let wanted = restrictions.audience.map { [$0] } ?? SessionExtras(record.extras).resources
        var resources = configuration.dialect.resourceParameter == .sent ? wanted : []
        var scopes = restrictions == .session && configuration.dialect.renewalScopes == .sent ? sessionScopes(old) : restrictions.scopes
        var isSecondTry = false
        while true {
            let response: WebResponse
            let (named, wantedScopes) = (resources, scopes)
            do throws(AuthFailure) {
                response = try await ask(metadata, proving: prover) { (client) throws(OAuthError) in
                    try TokenEndpoint.renew(
                        refreshToken, scopes: wantedScopes, resources: named, repeating: record.identity.userInfo.members ?? [],
                        at: metadata, client: client)
                }.response
            } catch {
                // The client can no longer say who it is.
                if error.kind == .unknownClient { throw RenewalFailure(AuthFailure(.signInAgain, error.message, hint: error.hint), .kept) }
                throw RenewalFailure(error, isSpent && [.once, .later].contains(error.retryPolicy) ? .inDoubt : .kept)
            }
            do {
                let tokens = try TokenResponse.renewed(
                    response, host: (configuration.dialect.refreshEndpoint ?? metadata.tokenEndpoint)?.origin.authority, old: old,
                    requested: restrictions.scopes,
                    dialect: configuration.dialect, now: environment.time.now)
                return ReceivedTokens(tokens: tokens, response: response)
            } catch {
                if let early = refusedTooEarly(error, response, old) { throw early }
                // The grant is for them anyway. Microsoft Entra, and servers in front of it, refuse the parameter at a renewal.
                if restrictions == .session, !resources.isEmpty, error.refusesResource {
                    resources = []
                    continue
                }
                // Behind another server, Entra takes a renewal without scopes for one of the client itself.
                if restrictions == .session, scopes.isEmpty, error.wantsScopes, !sessionScopes(old).isEmpty {
                    scopes = sessionScopes(old)
                    continue
                }
                // Some servers answer with an empty 400 for a dead grant, others for a temporary fault: twice means a dead grant. A server
                // whose parts learn of a client one after the other, as Cloudflare's, does not know it everywhere.
                // After a lost answer, this was the second and last presentation.
                let forgotten = forgottenClient(error, response)
                let mayPass = error.grantOutcome == .endedIfRepeated || forgotten != nil
                if mayPass, !isSecondTry, record.renewalFailures.lostResponses == 0 {
                    isSecondTry = true
                    try await RenewalRetry(time: environment.time).pauseBeforeSecondTry()
                    continue
                }
                if let refusal = error.refusal(of: restrictions) { throw RenewalFailure(refusal, .kept) }
                if let forgotten { throw forgotten }
                // They are Yett's own choice here, and say nothing of the grant.
                if restrictions == .session, !scopes.isEmpty, case .refused(let refusal, _) = error.kind, refusal.code == "invalid_scope" {
                    throw RenewalFailure(failure(error, proving: prover), .kept)
                }
                throw RenewalFailure(failure(error, proving: prover), outcome(after: error, response))
            }
        }
    }
}

/// Grants for other authorization servers, from the user's ID token.
extension OpenIDAdapter {
    func identityGrant(_ wanted: IdentityGrant) async throws(AuthFailure) -> Secret? {
        // Only an OpenID provider identifies its users.
        guard configuration.kind == .oidc else { return nil }
        let metadata = try await documents.metadata()
        let host = metadata.tokenEndpoint?.origin.authority
        let response = try await ask(metadata) { (client) throws(OAuthError) in try wanted.request(at: metadata, client: client) }.response
        do {
            return try wanted.grant(response, host: host, now: environment.time.now)
        } catch {
            throw refusal(error, of: wanted, host: host)
        }
    }

    /// Returns the failure for a refused grant. The provider decides by its rules about users, clients and resources, so no other sign-in
    /// replaces the grant.
    private func refusal(_ error: OAuthError, of wanted: IdentityGrant, host: String?) -> AuthFailure {
        guard case .refused(let refusal, _) = error.kind, error.grantOutcome != .kept else { return failure(error, proving: nil) }
        let target = wanted.resources.first.flatMap(WebURL.init)?.origin.authority ?? wanted.audience.url.origin.authority
        return AuthFailure(
            .denied(code: refusal.code),
            UserMessage("exchange.identity_grant_refused", ["host": host ?? address, "target": target, "detail": refusal.line]),
            hint: UserMessage("hint.identity_grant_refused", ["host": host ?? address, "target": target, "provider": configuration.name]))
    }
}

extension OAuthError {
    /// Whether the server refused the parameter that names the resource, or its value (RFC 8707 section 2).
    fileprivate var refusesResource: Bool {
        guard case .refused(let error, _) = kind else { return false }
        return error.code == "invalid_target" || error.code == "invalid_request" && error.description?.contains("resource") == true
    }

    /// Whether the server wants the scopes, which RFC 6749 section 6 leaves to the client.
    fileprivate var wantsScopes: Bool {
        guard case .refused(let error, _) = kind, let text = error.description else { return false }
        return text.contains("AADSTS90009") || error.code == "invalid_request" && text.contains("scope")
    }

    /// Returns the refusal of the requested scopes or audience (RFC 6749 section 5.2, RFC 8707 section 2), or of the user's consent to
    /// them; `nil` if the server's answer is about the grant. Such a refusal does not end the session.
    fileprivate func refusal(of restrictions: TokenRestrictions) -> AuthFailure? {
        let codes = ["access_denied", "invalid_scope", "invalid_target", "unauthorized_client"]
        guard restrictions != .session, case .refused(let error, _) = kind, codes.contains(error.code) || error.asksForInteraction else {
            return nil
        }
        return AuthFailure(
            .denied(code: error.code),
            UserMessage(
                "token.not_issued",
                ["host": host.map(UserMessage.verbatim) ?? "phrase.the_provider", "restriction": restrictions.note, "detail": error.line]),
            hint: "hint.request_less")
    }
}
