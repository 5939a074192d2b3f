internal import AuthEngine
internal import AuthModel
internal import OAuth
internal import SessionStore

extension ArcGISAdapter {
    func renew(_ record: SessionRecord, sessions: BaseSessions) async throws(RenewalFailure) -> Renewal {
        guard let old = record.tokens, let refreshToken = old.refreshToken else {
            throw RenewalFailure(
                AuthFailure(
                    .signInAgain, UserMessage("session.no_refresh_token", ["session": record.summary.name]), hint: "hint.repeat_sign_in"),
                .ended)
        }
        var extras = ArcGISExtras(record.extras)
        guard record.identity.issuer == settings.portal.text, record.clientID == configuration.clientID else {
            throw RenewalFailure(
                AuthFailure(
                    .configuration,
                    UserMessage("provider.configuration_changed", ["provider": configuration.name, "session": record.summary.name]),
                    hint: UserMessage("hint.arcgis_restore_settings", ["provider": configuration.name])), .kept)
        }
        let exchanges = isExchangeDue(old, issuedAt: extras.refreshIssuedAt) && extras.redirectURI != nil
        let what = exchanges ? UserMessage("phrase.exchanging_refresh_token") : UserMessage("phrase.renewing_session")
        var fields = [
            ("grant_type", exchanges ? "exchange_refresh_token" : "refresh_token"), ("client_id", record.clientID),
            ("refresh_token", refreshToken.reveal()),
        ]
        if exchanges, let redirectURI = extras.redirectURI { fields.append(("redirect_uri", redirectURI)) }
        let outcome: Result<JSONValue, ArcGISAnswer.Fault>
        do throws(AuthFailure) {
            outcome = try await withStoredData(record.extras).post(try rest("/oauth2/token"), fields, when: what)
        } catch {
            throw RenewalFailure(error, .kept)
        }
        switch outcome {
        case .failure(let fault): throw failure(fault, when: what)
        case .success(let document):
            let tokens: TokenSet
            do throws(AuthFailure) {
                tokens = try self.tokens(in: document, old: old, when: what)
                if exchanges, document["refresh_token"]?.string == nil {
                    throw AuthFailure(
                        .signInAgain, UserMessage("arcgis.no_refresh_token_when", ["host": host, "purpose": what]),
                        hint: "hint.repeat_sign_in")
                }
            } catch {
                // An exchange ends the old refresh token, even if its answer cannot be used.
                throw RenewalFailure(error, exchanges ? .untrustedAnswer : .kept)
            }
            if exchanges {
                extras.refreshIssuedAt = environment.time.now
                // The exchange has ended the tokens that the server tokens were made with.
                extras.servers = [:]
            }
            return Renewal(tokens: tokens, idTokenClaims: nil, extras: extras.json)
        }
    }

    /// Whether this renewal exchanges the refresh token for a new one.
    ///
    /// It does `exchange_minutes` after the token was issued, if that is set, and in the token's last day, as the vendor's own clients do.
    /// A token with a lifetime of a day or less is therefore exchanged with every renewal. If `exchange_minutes` is 0 or less, or not less
    /// than the token's lifetime, the token is never exchanged.
    func isExchangeDue(_ tokens: TokenSet, issuedAt: Timestamp?) -> Bool {
        guard let end = tokens.refreshExpiresAt, let issuedAt else { return false }
        let now = environment.time.now
        let lifetime = end - issuedAt
        if let minutes = settings.exchangeMinutes {
            guard minutes > 0, .seconds(minutes * 60) < lifetime else { return false }
            if now - issuedAt >= .seconds(minutes * 60) { return true }
        }
        return end - now <= .seconds(86_400)
    }

    private func failure(_ fault: ArcGISAnswer.Fault, when what: UserMessage) -> RenewalFailure {
        if fault.code >= 500 { return RenewalFailure(fault.failure(host, when: what), .kept) }
        return RenewalFailure(
            AuthFailure(
                .signInAgain, UserMessage("arcgis.session_ended_when", ["host": host, "purpose": what, "detail": fault.line]),
                hint: "hint.repeat_sign_in"), .ended)
    }

    // MARK: Sign-out

    func revocations(for record: SessionRecord) async -> [RevocationStep] {
        guard let tokens = record.tokens else { return [.nothing(.revokeRefreshToken, reason: "sign_out.no_token_left")] }
        guard ArcGISExtras(record.extras).referer == nil, !record.clientID.isEmpty else {
            return [.nothing(.revokeAccessToken, reason: "phrase.password_token_expires")]
        }
        guard let portal = WebURL(record.identity.issuer), let url = ArcGISAddress.rest(of: portal, "/oauth2/revokeToken") else {
            return [.nothing(.revokeRefreshToken, reason: "phrase.arcgis_portal_has_no_url")]
        }
        // A queued revocation needs the allowed certificate to reach the portal later.
        var kept = ArcGISExtras()
        kept.allowed = ArcGISExtras(record.extras).allowed
        func step(_ step: SignOutReceipt.Step, _ token: Secret, _ hint: String) -> RevocationStep {
            .token(
                step,
                QueuedRevocation(
                    session: record.summary.name, token: token, tokenTypeHint: hint, endpoint: url, clientID: record.clientID,
                    extras: kept.json))
        }
        // Revoking a refresh token revokes its access tokens too.
        if let refresh = tokens.refreshToken { return [step(.revokeRefreshToken, refresh, "refresh_token")] }
        return [
            .nothing(.revokeRefreshToken, reason: "sign_out.session_has_no_token"),
            step(.revokeAccessToken, tokens.accessToken, "access_token"),
        ]
    }

    func revoke(_ revocation: QueuedRevocation) async throws(AuthFailure) {
        let what = UserMessage("phrase.revoking_token")
        // The portal that issued the token, even if another one is configured now.
        let host = revocation.endpoint.origin.authority
        var fields = [("auth_token", revocation.token.reveal()), ("client_id", revocation.clientID)]
        if let hint = revocation.tokenTypeHint { fields.append(("token_type_hint", hint)) }
        switch try await withStoredData(revocation.extras).post(revocation.endpoint, fields, when: what) {
        case .failure(let fault): throw fault.failure(host, when: what)
        case .success(let document):
            guard document["success"]?.bool == true else {
                throw AuthFailure(
                    .unavailable(retryAfter: nil), UserMessage("arcgis.token_not_revoked", ["host": host]), hint: "hint.yett_retries_later")
            }
        }
    }
}
