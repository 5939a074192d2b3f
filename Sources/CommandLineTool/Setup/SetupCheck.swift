internal import AuthModel

/// The result of a tool's request for a credential.
struct SetupCheck: Equatable, Sendable {
    /// The command that was run, or a part of it that identifies it.
    let command: String
    /// The tool's output without the secret: `a token for the user oauth2`.
    let found: String
    /// When the credential ends, if the tool learns it.
    var expiresAt: Timestamp?
}
