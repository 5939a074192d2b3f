public import AuthModel

/// Operations on a session's tokens and clients.
extension AgentSessionService {
    /// Returns views of a session's tokens.
    public func tokens(of name: SessionName) async throws(AuthFailure) -> [TokenView] {
        touch()
        return try await current().tokens(of: name)
    }

    /// Lists the tokens that the provider issued for the user.
    public func remoteTokens(of name: SessionName) async throws(AuthFailure) -> [RemoteToken] {
        touch()
        return try await current().remoteTokens(of: name)
    }

    /// Revokes a token at the provider, and clears the cache.
    public func revokeRemoteToken(_ id: String, of name: SessionName) async throws(AuthFailure) -> SessionSummary {
        touch()
        // The revoked token may be a cached one.
        defer { cache.clear() }
        return planned([try await current().revokeRemoteToken(id, of: name)])[0]
    }

    /// Makes an account the active one of its provider, and clears the cache.
    public func activate(_ account: String?, at provider: ProviderName) async throws(AuthFailure) {
        touch()
        // A token that was cached under the provider's name alone may belong to another account.
        cache.clear()
        defer { cache.clear() }
        try await current().activate(account, at: provider)
    }

    /// Returns a proof for a token.
    public func proof(_ request: ProofRequest) async throws(AuthFailure) -> String {
        touch()
        return try await current().proof(request)
    }

    /// Stores a registration's management data.
    public func keep(_ management: ClientManagement) async throws(AuthFailure) { try await current().keep(management) }

    /// Removes a registration at its issuer.
    public func unregister(_ clientID: String, at issuer: Issuer, caFile: String?) async throws(AuthFailure) -> Bool {
        try await current().unregister(clientID, at: issuer, caFile: caFile)
    }

    /// Decodes and verifies a token.
    public func inspect(_ token: Secret, at provider: ProviderName?) async throws(AuthFailure) -> TokenView {
        try await current().inspect(token, at: provider)
    }
}
