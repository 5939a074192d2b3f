/// The person's browser on its way back from the page that ends the provider's own session (OpenID Connect RP-Initiated Logout section 3),
/// while somebody listens for it.
public struct BrowserReturn: Equatable, Sendable {
    /// Names it towards the session service.
    public struct ID: Hashable, Sendable {
        public let text: String
        public init(_ text: String) { self.text = text }
    }

    public let id: ID
    /// Where on this machine the browser is sent back to; `nil` where the provider sends nobody back, and its leaving is all that is
    /// awaited.
    public let redirect: WebURL?
    /// When nobody listens any more.
    public let endsAt: Timestamp

    public init(id: ID, redirect: WebURL?, endsAt: Timestamp) {
        self.id = id
        self.redirect = redirect
        self.endsAt = endsAt
    }
}
