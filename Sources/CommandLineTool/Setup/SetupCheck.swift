internal import AuthModel

/// What a tool saw when it asked for a credential.
struct SetupCheck: Equatable, Sendable {
    /// The command that was run, or a part of it that identifies it.
    let command: String
    /// What it printed, without the secret: `a token for the user oauth2`.
    let found: String
    /// When the credential ends, if the tool learns it.
    var expiresAt: Timestamp?
}
