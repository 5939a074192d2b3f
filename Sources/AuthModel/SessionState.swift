/// The state of a session.
public enum SessionState: String, Sendable, CaseIterable {
    /// The provider has a session, but it identifies no user.
    case guest
    /// A sign-in is in progress.
    case signingIn = "signing_in"
    /// The access token is valid.
    case signedIn = "signed_in"
    /// The access token expires in less than a minute.
    case expiring
    /// A renewal is in progress.
    case renewing
    /// The access token has expired, and the session can be renewed.
    case expired
    /// The user must sign in again.
    case needsSignIn = "needs_sign_in"
    /// The tokens were revoked.
    case revoked
    /// Another problem; the warnings describe it.
    case error
}
