internal import AuthModel
internal import OAuth

extension OpenIDAdapter {
    func introspect(_ token: Secret, kind: TokenView.Kind, of record: SessionRecord) async throws(AuthFailure) -> TokenView? {
        let metadata = try await documents.metadata()
        // A token goes to the issuer that gave it, and to nobody else (RFC 7662 section 4).
        guard let endpoint = metadata.introspectionEndpoint, metadata.issuer?.text == record.identity.issuer,
            record.clientID == configuration.clientID
        else { return nil }
        // Section 2.1: without a credential nobody is told anything, so the question is not asked.
        guard try await client(metadata).credential != .none || authentication == .tls else { return nil }
        let tokenKind: TokenRevocation.TokenKind = kind == .refresh ? .refresh : .access
        let response = try await ask(metadata) { (client) throws(OAuthError) in
            try Introspection.request(token, tokenKind, at: metadata, client: client)
        }.response
        let host = endpoint.origin.authority
        let answer: Introspection.Answer
        do { answer = try Introspection.answer(response, host: host, now: environment.time.now) } catch { throw error.failure }
        return TokenView(
            kind: kind, redacted: TokenInspection.redact(token),
            expiresAt: answer.claims["exp"]?.double.map(Timestamp.init(seconds:)), header: nil, claims: answer.claims,
            verification: .unverified(reason: "opaque; \(host) says that it is \(answer.isActive ? "active" : "not active")"))
    }
}
