public import AuthModel
public import SessionStore

/// The end of a provider's sessions.
public protocol SignOutAdapter: ProviderRole {
    /// Whether a sign-out can tell the provider to end a session or a token.
    var revokes: Bool { get }

    /// Whether the provider may have a page that ends the browser's session.
    var hasBrowserSession: Bool { get }

    /// Returns the tokens to revoke, in the order to revoke them. Makes no request for anything that the record holds.
    func revocations(for record: SessionRecord) async -> [RevocationStep]

    /// Revokes one token (RFC 7009). Throws `.unavailable` when trying again may help.
    func revoke(_ revocation: QueuedRevocation) async throws(AuthFailure)

    /// Returns the URL where the user's browser ends the provider's own session; `nil` if the provider has no such page.
    func endSessionURL(for record: SessionRecord) async throws(AuthFailure) -> WebURL?

    /// Returns the same URL for a browser that the provider then redirects to `returnTo`, with `state`; `nil` if it does not redirect back.
    func endSessionURL(for record: SessionRecord, returnTo: String, state: Secret) async throws(AuthFailure) -> WebURL?
}

extension SignOutAdapter {
    /// Default: true.
    public var revokes: Bool { true }

    /// Default: true.
    public var hasBrowserSession: Bool { true }

    /// Default: `nil`.
    public func endSessionURL(for record: SessionRecord, returnTo: String, state: Secret) async throws(AuthFailure) -> WebURL? { nil }
}
