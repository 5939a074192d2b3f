/// Keeps credentials that other services issued for a session's token. A role of ``SessionService``.
///
/// They are sealed with the session, and removed with its grant: at sign-out, at the next sign-in, and when the provider ends it. A provider
/// whose ``TokenPolicy`` is not `allow` has none: each use of its tokens is decided anew.
public protocol DerivedCredentialService: Sendable {
    /// Returns a kept credential; `nil` if there is none that is still usable. Its use is recorded like that of a token.
    ///
    /// - Parameter request: the request for the token that a new credential would need.
    func derivedCredential(for purpose: String, _ request: TokenRequest) async throws(AuthFailure) -> DerivedCredential?

    /// Keeps a credential of a session, in place of an older one for the same purpose.
    func keep(_ credential: DerivedCredential, of session: SessionName) async throws(AuthFailure)
}
