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
        detail.actions = adapter?.actions(of: record) ?? []
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
        let held = [(TokenView.Kind.access, record.tokens?.accessToken), (.refresh, record.tokens?.refreshToken)]
        for case (let kind, let token?) in held {
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
            guard let introspection = adapter.tokenIntrospection else {
                throw AuthFailure(.configuration, UserMessage("introspection.not_supported", ["provider": provider]))
            }
            return try await introspection.introspect(token)
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
        if let token = tokens.refreshToken {
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
