/// A pending browser redirect from the provider's logout page (OpenID Connect RP-Initiated Logout section 3), while a listener waits for
/// it.
public struct BrowserReturn: Equatable, Sendable {
    /// The identifier of the wait at the session service.
    public struct ID: Hashable, Sendable {
        /// The identifier as text.
        public let text: String
        /// Wraps the text of an identifier.
        public init(_ text: String) { self.text = text }
    }

    /// The identifier to pass to the session service.
    public let id: ID
    /// The post-logout redirect URI on this machine; `nil` if the provider does not redirect and the browser only leaves for the provider's
    /// page.
    public let redirect: WebURL?
    /// When the listener stops.
    public let endsAt: Timestamp

    /// Creates a pending browser redirect.
    public init(id: ID, redirect: WebURL?, endsAt: Timestamp) {
        self.id = id
        self.redirect = redirect
        self.endsAt = endsAt
    }
}
