/// The state of a session's own tokens after the provider has revoked one of the tokens that it lists.
public enum SessionTokenState: Equatable, Sendable {
    /// All tokens are valid.
    case alive
    /// The access token is valid until it expires, and cannot be renewed.
    case notRenewable
    /// The access token is no longer valid. A refresh token may be left.
    case ended
}
