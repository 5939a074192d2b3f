/// Issues, renews, replaces and examines the tokens of sessions. A role of ``SessionService``.
public protocol TokenService: Sendable {
    /// Issues a fresh token if the provider's ``TokenPolicy`` allows it. Renews first if that is necessary and permitted.
    func token(_ request: TokenRequest) async throws(AuthFailure) -> IssuedToken

    /// Renews the tokens of a session now, regardless of their age.
    func renew(_ name: SessionName) async throws(AuthFailure) -> SessionSummary

    /// Replaces the token that was sent to a resource with the token that the resource returned. Does nothing if the session has a
    /// different token by now.
    ///
    /// Throws `.security` if `resource`, the URL that returned the token, does not belong to the session.
    func adopt(_ token: Secret, inPlaceOf old: Secret, in session: SessionName, from resource: WebURL) async throws(AuthFailure)

    /// Creates the `DPoP` header value for one request to a resource. Throws `.configuration` if the session's tokens are not bound to a
    /// key.
    func proof(_ request: ProofRequest) async throws(AuthFailure) -> String

    /// Returns the tokens of a session, as far as they may be shown, in the order access, refresh, ID. May query the provider about opaque
    /// tokens (RFC 7662); ``session(_:)`` never does.
    func tokens(of name: SessionName) async throws(AuthFailure) -> [TokenView]

    /// Returns the tokens that the provider lists for the session's user, regardless of where they were issued. Throws `.configuration` if
    /// the provider does not list tokens.
    func remoteTokens(of name: SessionName) async throws(AuthFailure) -> [RemoteToken]

    /// Revokes one of ``remoteTokens(of:)`` at the provider. If it is the session's own access token, the session is revoked with its
    /// refresh token. If it is the refresh token, the session can no longer be renewed.
    func revokeRemoteToken(_ id: String, of name: SessionName) async throws(AuthFailure) -> SessionSummary

    /// Decodes a JWT, and verifies it if its issuer is a configured provider. May fetch the keys of that provider.
    ///
    /// - Parameter provider: The only provider that may have issued the token. An opaque token is sent to it for introspection (RFC 7662).
    ///   `nil` allows any provider; an opaque token is then sent to none.
    func inspect(_ token: Secret, at provider: ProviderName?) async throws(AuthFailure) -> TokenView
}
