/// The state of a session, as people and scripts read it.
public enum SessionState: String, Sendable, CaseIterable {
    /// Known to the service, without an identity of its own.
    case guest
    /// A sign-in is under way.
    case signingIn = "signing_in"
    /// The access token is good.
    case signedIn = "signed_in"
    /// The access token is good for less than a minute.
    case expiring
    /// A renewal is under way.
    case renewing
    /// The access token has ended; it can be renewed.
    case expired
    /// Only a new sign-in helps.
    case needsSignIn = "needs_sign_in"
    /// The tokens were revoked.
    case revoked
    /// Something else is wrong; the warnings say what.
    case error
}
