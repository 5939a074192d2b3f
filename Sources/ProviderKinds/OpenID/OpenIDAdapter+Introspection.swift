internal import AuthEngine
internal import AuthModel
internal import OAuth

extension OpenIDAdapter {
    var sessionIntrospection: (any SessionIntrospection)? { self }

    var tokenIntrospection: (any TokenIntrospection)? { self }

    func introspect(_ token: Secret, kind: TokenView.Kind, of record: SessionRecord) async throws(AuthFailure) -> TokenView? {
        let metadata = try await documents.metadata()
        // A token is sent only to the issuer that issued it (RFC 7662 section 4).
        guard isIssuer(of: record, metadata), isConfigured(client: record.clientID),
            try await introspectionObstacle(metadata) == nil
        else { return nil }
        return try await introspect(token, kind: kind, hint: kind == .refresh ? .refresh : .access, at: metadata)
    }

    func introspect(_ token: Secret) async throws(AuthFailure) -> TokenView {
        let metadata = try await documents.metadata()
        if let obstacle = try await introspectionObstacle(metadata) { throw obstacle }
        return try await introspect(token, kind: .access, hint: nil, at: metadata)
    }

    /// Returns why the provider cannot be asked about tokens; `nil` if it can.
    private func introspectionObstacle(_ metadata: ProviderMetadata) async throws(AuthFailure) -> AuthFailure? {
        guard metadata.introspectionEndpoint != nil else {
            return AuthFailure(.configuration, UserMessage("introspection.no_endpoint", ["provider": configuration.name]))
        }
        // Section 2.1: the endpoint requires authorization, so a client without a credential does not ask.
        guard try await client(metadata).credential != .none || authentication == .tls else {
            return AuthFailure(
                .configuration, UserMessage("introspection.credentials_required", ["provider": configuration.name]),
                hint: "hint.configure_client_credentials")
        }
        return nil
    }

    private func introspect(
        _ token: Secret, kind: TokenView.Kind, hint: TokenRevocation.TokenKind?, at metadata: ProviderMetadata
    ) async throws(AuthFailure) -> TokenView {
        let response = try await ask(metadata) { (client) throws(OAuthError) in
            try Introspection.request(token, hint, at: metadata, client: client)
        }.response
        let host = metadata.introspectionEndpoint?.origin.authority ?? address
        let answer: Introspection.Answer
        do { answer = try Introspection.answer(response, host: host, now: environment.time.now) } catch { throw error.failure }
        return TokenView(
            kind: kind, redacted: TokenInspection.redact(token),
            expiresAt: answer.claims["exp"]?.double.map(Timestamp.init(seconds:)), header: nil, claims: answer.claims,
            verification: .unverified(
                reason: UserMessage(
                    "phrase.opaque_token_state",
                    ["host": host, "state": answer.isActive ? UserMessage("phrase.active") : UserMessage("phrase.not_active")])))
    }
}
