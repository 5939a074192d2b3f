public import AuthModel

/// The token and header fields to send to one resource for a session.
public enum ResourceToken: Equatable, Sendable {
    /// A header field that is sent with the token.
    public typealias Field = IssuedToken.Field

    /// The session's own access token.
    case own(fields: [Field])
    /// A token that the provider issued for one server: for the resource and everything else below the URL `server`.
    case another(Secret, server: WebURL, expiresAt: Timestamp?, fields: [Field])
}
