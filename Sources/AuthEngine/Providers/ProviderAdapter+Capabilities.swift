public import AuthModel

/// A provider that issues tokens with fewer scopes, or for another audience.
public protocol RestrictedRenewal: Sendable {
    /// Gets an access token with fewer scopes or for another audience than the session has. Everything else in the answer, such as a new
    /// refresh token, becomes part of the session.
    func renew(_ record: SessionRecord, to restrictions: TokenRestrictions, sessions: any BaseSessions) async throws(RenewalFailure)
        -> Renewal
}

/// A provider that issues separate tokens for servers beside it.
public protocol ResourceTokenIssuer: Sendable {
    /// Fetches the token for one resource. `login` is the login for the web server in front of the resource. Throws `.signInAgain` if the
    /// session's own token is no longer valid, `.notSignedIn` if the resource needs a token of another session, and `.security` if no token
    /// may be sent there.
    func fetchToken(
        for resource: WebURL, of record: SessionRecord, login: WebServerLogin?
    ) async throws(AuthFailure) -> (token: ResourceToken, extras: JSONValue)
}

/// A provider that lists the tokens of a user.
public protocol RemoteTokenList: Sendable {
    /// Fetches the list of tokens that the provider holds for the session's user.
    func remoteTokens(of record: SessionRecord) async throws(AuthFailure) -> [RemoteToken]

    /// Revokes one of these tokens at the provider, and returns the state of the session's own tokens afterwards.
    func revokeRemoteToken(_ id: String, of record: SessionRecord) async throws(AuthFailure) -> SessionTokenState
}

/// A provider that answers questions about the tokens of its sessions.
public protocol SessionIntrospection: Sendable {
    /// Asks the provider about a session's token (RFC 7662); `nil` if the provider does not answer this client.
    func introspect(_ token: Secret, kind: TokenView.Kind, of record: SessionRecord) async throws(AuthFailure) -> TokenView?
}

/// A provider that answers questions about any of its tokens.
public protocol TokenIntrospection: Sendable {
    /// Asks the provider about a token that is said to be its own (RFC 7662). Throws the reason if there is no answer.
    func introspect(_ token: Secret) async throws(AuthFailure) -> TokenView
}
