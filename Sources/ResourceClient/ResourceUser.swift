package import AuthModel
package import OAuth

/// The user of a request: is told what happens, and is asked to sign in.
package protocol ResourceUser {
    /// Whether the user can be asked for text.
    var canAsk: Bool { get }

    /// Shows progress in one line.
    func note(_ message: UserMessage)

    /// Shows a warning in one line.
    func warn(_ message: UserMessage)

    /// Returns a token, and asks for the user's consent if the provider's policy requires it.
    mutating func token(_ request: TokenRequest, from service: any SessionService) async throws(AuthFailure) -> IssuedToken

    /// Asks for the user name and password of a web server. Throws `.cancelled` if the user gives none.
    func webServerLogin(_ scheme: WebServerLogin.Scheme, at origin: Origin) async throws(AuthFailure) -> WebServerLogin

    /// Signs in for a resource. Returns false if the user chooses to continue without a sign-in.
    func signIn(_ request: SignInRequest) async throws(AuthFailure) -> Bool

    /// Signs in again to a session that a resource no longer accepts, for the resource's reason.
    func signInAgain(to session: SessionSummary, because reason: UserMessage) async throws(AuthFailure)

    /// Runs the sign-in that a resource requires (RFC 9470).
    func stepUp(_ session: SessionSummary, to required: StepUp) async throws(AuthFailure)
}

/// Sends requests to the resources of one provider: with a token only to the URL that the engine issued it for, otherwise without
/// credentials.
package protocol ResourceSender {
    /// Sends a request that carries a token, with the client's certificate if one is configured (RFC 8705 section 3).
    ///
    /// - Parameters:
    ///   - issued: the token, with the URL that it was issued for.
    ///   - login: the credentials for a web server in front of the resource.
    /// - Throws: `.security` if the request goes to another URL than the token was issued for.
    func send(_ request: WebRequest, with issued: IssuedToken, login: WebServerLogin?) async throws(AuthFailure) -> WebResponse

    /// Sends a request without a token.
    ///
    /// - Parameter login: the credentials for a web server in front of the resource.
    func sendAnonymously(_ request: WebRequest, login: WebServerLogin?) async throws(AuthFailure) -> WebResponse

    /// Returns the scopes in the metadata of a resource that asked for more scopes without naming them; empty if it has none.
    func scopes(of resource: WebURL, after challenge: Challenge) async -> [String]
}

/// Which sessions a request may use.
package enum SessionRequirement: Sendable {
    /// Any session, including a guest session.
    case anybody
    /// A session of a signed-in user only.
    case signedIn
}
