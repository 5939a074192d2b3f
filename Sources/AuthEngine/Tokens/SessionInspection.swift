package import AuthModel
import OAuth
import SessionStore

/// Shows the details and the tokens of sessions, and decodes and verifies tokens.
struct SessionInspection: Sendable {
    let context: EngineContext

    func session(_ name: SessionName) async throws(AuthFailure) -> SessionDetail {
        let record = try await context.sessions.record(name)
        let adapter = context.providers[record.summary.name.provider]
        var detail = SessionDetail(
            summary: context.sessions.listing.withProgress(record.summary), identity: record.identity, clientID: record.clientID,
            tokens: record.tokenViews, apiHosts: apiHosts(of: record, adapter?.configuration),
            resources: SessionExtras(record.extras).resources)
        detail.actions = adapter?.capabilities(of: record) ?? []
        return detail
    }

    /// Returns the hosts that the session's token may be sent to: the configured ones, and the session's own.
    private func apiHosts(of record: SessionRecord, _ provider: ProviderConfiguration?) -> [String] {
        guard let provider else { return [] }
        guard provider.dialect.apiHostPath != nil, let own = SessionExtras(record.extras).apiHost?.origin.authority,
            !provider.apiHosts.contains(own)
        else { return provider.apiHosts }
        return provider.apiHosts + [own]
    }

    /// Returns views of a session's tokens. Asks the provider about opaque ones.
    func tokens(of name: SessionName) async throws(AuthFailure) -> [TokenView] {
        let record = try await context.sessions.record(name)
        var views = record.tokenViews
        guard let adapter = context.providers[record.summary.name.provider], adapter.isOwn(record),
            let introspection = adapter.sessionIntrospection
        else { return views }
        let tokens = [(TokenView.Kind.access, record.tokens?.accessToken), (.refresh, record.tokens?.refreshToken)]
        for case (let kind, let token?) in tokens {
            guard let index = views.firstIndex(where: { $0.kind == kind && $0.verification == .opaque }) else { continue }
            // Introspection is optional: if the provider does not answer, the token stays opaque.
            if let view = try? await introspection.introspect(token, kind: kind, of: record) { views[index] = view }
        }
        return views
    }

    /// Decodes a token, and verifies it if it is a JWT of a configured provider.
    func inspect(_ token: Secret, at provider: ProviderName?) async throws(AuthFailure) -> TokenView {
        // The kind of an opaque token is unknown, but it is not an ID token.
        let opaque = TokenInspection.view(of: token, kind: .access, expiresAt: nil, reason: .empty)
        let isOpaque = opaque.verification == .opaque
        guard let provider else { return isOpaque ? opaque : try await verified(token) }
        let adapter = try context.providers.adapter(for: provider)
        if isOpaque {
            guard let view = try await adapter.introspect(token) else {
                throw AuthFailure(.configuration, UserMessage("introspection.not_supported", ["provider": provider]))
            }
            return view
        }
        return try await adapter.verify(token, kind: .id)
            ?? TokenInspection.view(
                of: token, kind: .id, expiresAt: nil, reason: UserMessage("id_token.issued_by_other", ["provider": provider]))
    }

    /// Verifies a JWT with the provider that has its issuer.
    private func verified(_ token: Secret) async throws(AuthFailure) -> TokenView {
        var failure: AuthFailure?
        for adapter in context.providers.all {
            do throws(AuthFailure) {
                if let view = try await adapter.verify(token, kind: .id) { return view }
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return TokenInspection.view(of: token, kind: .id, expiresAt: nil, reason: "id_token.issuer_not_configured")
    }
}

extension SessionRecord {
    /// Views of the session's tokens, in the order access, refresh, ID.
    fileprivate var tokenViews: [TokenView] {
        guard let tokens else { return [] }
        var views = [
            TokenInspection.view(
                of: tokens.accessToken, kind: .access, expiresAt: tokens.accessExpiresAt,
                reason: "id_token.for_resource")
        ]
        if let token = tokens.ownRefreshToken {
            views.append(
                TokenView(
                    kind: .refresh, redacted: TokenInspection.redact(token), expiresAt: tokens.refreshExpiresAt, header: nil, claims: nil,
                    verification: .opaque))
        }
        if let token = tokens.idToken {
            var view = TokenInspection.view(of: token, kind: .id, expiresAt: nil, reason: "id_token.not_verified")
            // An ID token is verified before it is sealed, and the seal proves that it is unchanged.
            let extras = SessionExtras(extras)
            if let algorithm = extras.idTokenAlgorithm { view.verification = .verified(algorithm: algorithm, keyID: extras.idTokenKeyID) }
            views.append(view)
        }
        for index in views.indices { views[index].formerClaims = formerClaims[views[index].kind] }
        return views
    }
}

/// Creates views of tokens without verifying them.
package enum TokenInspection {
    /// Returns the first six characters and an ellipsis; of a token shorter than 24 bytes, only its length.
    package static func redact(_ token: Secret) -> UserMessage {
        let text = token.reveal()
        return text.utf8.count < 24
            ? UserMessage("phrase.character_count", ["count": text.utf8.count])
            : UserMessage("phrase.text_with_character_count", ["text": text.prefix(6), "count": text.utf8.count])
    }

    /// Returns a view of an unverified token, decoded if it is a JWT.
    package static func view(of token: Secret, kind: TokenView.Kind, expiresAt: Timestamp?, reason: UserMessage) -> TokenView {
        guard let jwt = try? JSONWebSignature(compact: token.reveal()) else {
            return TokenView(kind: kind, redacted: redact(token), expiresAt: expiresAt, header: nil, claims: nil, verification: .opaque)
        }
        return TokenView(
            kind: kind, redacted: redact(token), expiresAt: expiresAt ?? jwt.unverifiedClaims["exp"]?.double.map(Timestamp.init(seconds:)),
            header: jwt.header, claims: jwt.unverifiedClaims, verification: .unverified(reason: reason))
    }
}

/// Tokens that a provider issued for the user, to this or any other client.
struct RemoteTokens: Sendable {
    let context: EngineContext
    let renewal: TokenRenewal

    /// Lists the tokens that the provider issued for the user.
    func tokens(of name: SessionName) async throws(AuthFailure) -> [RemoteToken] {
        let record = try await freshRecord(name)
        let provider = record.summary.name.provider
        guard let list = try context.providers.adapter(for: provider).remoteTokenList else {
            throw AuthFailure(.configuration, UserMessage("token.list_not_supported", ["provider": provider]), hint: "hint.show_sessions")
        }
        return try await list.remoteTokens(of: record)
    }

    /// Revokes a token at the provider, and updates the session if it was its own.
    func revoke(_ id: String, of name: SessionName) async throws(AuthFailure) -> SessionSummary {
        let record = try await freshRecord(name)
        let session = record.summary.name
        let adapter = try context.providers.adapter(for: session.provider)
        guard let list = adapter.remoteTokenList else {
            throw AuthFailure(
                .configuration, UserMessage("revocation.no_single_tokens", ["provider": session.provider]),
                hint: "hint.sign_out_with_logout")
        }
        let left = try await list.revokeRemoteToken(id, of: record)
        await context.events.announce(.signedOut, session, UserMessage("revocation.token_revoked"))
        switch left {
        case .alive: return context.sessions.listing.withProgress(record.summary)
        case .notRenewable: return try await change(record) { $0.removeRefreshToken() }
        case .ended:
            await revokeRefreshToken(of: record, by: adapter)
            return try await change(record) { $0.markRevokedWithoutTokens() }
        }
    }

    /// Changes the session whose own token was revoked, unless it has received new tokens since.
    private func change(
        _ seen: SessionRecord, _ body: @escaping @Sendable (inout SessionRecord) -> Void
    ) async throws(AuthFailure) -> SessionSummary {
        do {
            let changed: SessionRecord? = try await context.store.update(seen.summary.name) { record in
                guard record?.summary.receivedAt == seen.summary.receivedAt else { return record }
                if var known = record {
                    body(&known)
                    record = known
                }
                return record
            }
            await context.events.announceSessions()
            return context.sessions.listing.withProgress(changed?.summary ?? seen.summary)
        } catch {
            throw error.failure
        }
    }

    /// Revokes the refresh token of a session whose access token was revoked. Otherwise no later operation would revoke it.
    private func revokeRefreshToken(of record: SessionRecord, by adapter: any ProviderAdapter) async {
        for case .token(.revokeRefreshToken, let revocation) in await adapter.revocations(for: record) {
            do throws(AuthFailure) {
                try await adapter.revoke(revocation)
            } catch  where !error.isRefusedRevocation {
                // Queue it like every revocation that did not reach the provider.
                _ = try? await context.store.enqueue(revocation)
            } catch {}
        }
    }

    /// Returns the session with a token that the provider accepts.
    private func freshRecord(_ name: SessionName) async throws(AuthFailure) -> SessionRecord {
        let record = try await context.sessions.record(name)
        try context.providers.requireOwn(record)
        return try await renewal.current(record, for: TokenRequest(session: record.summary.name))
    }
}

extension SessionRecord {
    /// Removes the revoked refresh token. The access token stays valid until it expires.
    fileprivate mutating func removeRefreshToken() {
        tokens?.refreshToken = nil
        tokens?.refreshExpiresAt = nil
        summary.refreshExpiresAt = nil
        summary.isRenewable = false
        summary.warnings.append(UserMessage("revocation.refresh_token_revoked"))
    }

    /// Removes all tokens and marks the session as revoked.
    fileprivate mutating func markRevokedWithoutTokens() {
        tokens = nil
        summary.recordedState = .revoked
        summary.refreshExpiresAt = nil
        summary.isRenewable = false
    }
}
