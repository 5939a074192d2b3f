/// What is left of a session's own tokens once the provider has ended one of those it lists.
public enum OwnTokens: Equatable, Sendable {
    /// All of them are good.
    case alive
    /// The access token is good until its end, and nothing renews it.
    case unrenewable
    /// The access token is dead; a refresh token may be left.
    case ended
}
