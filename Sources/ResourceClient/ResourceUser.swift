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

/// What to do when a resource requires another sign-in.
package enum ChallengeResponse: String, Sendable, CaseIterable {
    /// Run the required sign-in, once.
    case prompt
    /// Fail.
    case fail
    /// Send the request again without a token.
    case anonymous
}

/// Which sessions a request may use.
package enum SessionRequirement: Sendable {
    /// Any session, including a guest session.
    case anybody
    /// A session of a signed-in user only.
    case signedIn
}
